"""The HTTP API of turnfold: `turnfold_api.app.create_app(settings)` makes the application."""
