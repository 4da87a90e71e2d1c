"""Classifiers of texts: how they are read, shaded, and whether their attention can be believed."""
