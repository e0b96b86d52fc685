"""`python -m turnfold.cli`: the command."""

from turnfold.cli import main

main()
