"""One resource a module; each has a `router`."""
