"""What is measured: stochastic training on drawn samples, vectorised over seeds.

Nothing here calls a prediction; only densities are shared, so that agreement means something. An estimator
maps parameters to one noisy gradient a seed; the last axis of every parameter array is the seed.
"""
