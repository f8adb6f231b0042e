"""The two-mode Gaussian mixture: old mass and old means under each way of training, predicted and simulated.

Questions from Balasubramanian & Kasiviswanathan 2026 (arXiv 2603.12163). The old mode is N(0, 1), the new one
N(δ, 1) along the line that joins them (whitened; the other directions integrate out). A learner is
θ = (φ, m_o, m_n): old weight β = σ(φ), old mean, new mean. Time is learning rate × steps of plain SGD.

`densities` and `quadrature` come first; one module a way of training holds its predictions; `simulations`
draws samples; `experiments` sets them side by side, for `forgetting.verdicts` to judge.
"""
