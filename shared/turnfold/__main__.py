"""`python -m turnfold`: the command, without its script on the PATH."""

from turnfold.cli import main

main()
