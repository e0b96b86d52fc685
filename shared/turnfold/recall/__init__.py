"""Recall: finding what was said in a session, folded or not, so that a folded fact costs a look-up and not its loss."""
