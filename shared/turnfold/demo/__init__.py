"""The bundled conversation that `turnfold demo` plays."""
