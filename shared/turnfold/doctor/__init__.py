"""What keeps a deployment from working, and the mend of each: `turnfold doctor`."""
