"""Trainings and models of PyTorch: observing them, and modules with the weights of runs.

Everything public is imported as ``fovea.NAME``. PyTorch is imported when it is first needed.
"""
