"""Every predictor of forgetting: how far a policy has moved from its base.

A predictor on outputs takes the log-probabilities of base and policy, each [n, 10] in float64, on the same inputs; one
on activations takes what each hidden layer says of them, a list of [n, width]. Both are measured on the inputs of the
new task and of the old one (columns `<name>_new`, `<name>_old`). A predictor on weights takes the `Reference` and the
policy (column `<name>`). To add one, write a function here and decorate it; `last=True` measures it at the end of a
training only, because it is dear. Definitions without a source are those of arXiv 2509.04259, appendix C.3.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

import torch
from scipy.sparse.linalg import svds
from torch import Tensor

from forgetting.fisher import Fisher, quadratic
from forgetting.policy import Policy


@dataclass(frozen=True)
class Reference:
    """What a predictor on weights may know of the base: its policy, its Fisher information on old-task inputs, and
    which of the 785 inputs are ever other than 0 on the digits (`lit`): only their weights are trained on these."""

    policy: Policy
    fisher: Fisher
    lit: Tensor


OnOutputs = Callable[[Tensor, Tensor], Tensor]
OnActivations = Callable[[Sequence[Tensor], Sequence[Tensor]], Tensor]
OnWeights = Callable[[Reference, Policy], Tensor]
OUTPUTS: dict[str, OnOutputs] = {}
ACTIVATIONS: dict[str, OnActivations] = {}
WEIGHTS: dict[str, OnWeights] = {}
Predictor = TypeVar("Predictor", OnOutputs, OnActivations, OnWeights)
LAST: set[str] = set()  # names of those that are measured at the end of a training only


def on_outputs(function: OnOutputs) -> OnOutputs:
    """Register a predictor on log-probabilities."""
    return _registering(OUTPUTS, last=False)(function)


def _registering(table: dict[str, Predictor], last: bool) -> Callable[[Predictor], Predictor]:
    def register(function: Predictor) -> Predictor:
        table[function.__name__] = function
        LAST.update([function.__name__] if last else [])
        return function

    return register


def on_activations(*, last: bool = False) -> Callable[[OnActivations], OnActivations]:
    """Register a predictor on hidden activations."""
    return _registering(ACTIVATIONS, last)


def on_weights(*, last: bool = False) -> Callable[[OnWeights], OnWeights]:
    """Register a predictor on weights."""
    return _registering(WEIGHTS, last)


@on_outputs
def forward_kl(base: Tensor, policy: Tensor) -> Tensor:
    """KL(base‖policy) in nats, mean over inputs; from log-probabilities, unclamped."""
    return (base.exp() * (base - policy)).sum(1).mean()


@on_outputs
def reverse_kl(base: Tensor, policy: Tensor) -> Tensor:
    """KL(policy‖base) in nats, mean over inputs."""
    return forward_kl(policy, base)


@on_outputs
def jensen_shannon(base: Tensor, policy: Tensor) -> Tensor:
    """½ KL(base‖m) + ½ KL(policy‖m), m their even mixture, mean over inputs; in [0, ln 2]."""
    mixture = torch.logaddexp(base, policy) - math.log(2)
    return 0.5 * (forward_kl(base, mixture) + forward_kl(policy, mixture))


@on_outputs
def total_variation(base: Tensor, policy: Tensor) -> Tensor:
    """½ Σ|p − q|, mean over inputs; in [0, 1]."""
    return 0.5 * (base.exp() - policy.exp()).abs().sum(1).mean()


@on_outputs
def l2(base: Tensor, policy: Tensor) -> Tensor:
    """√Σ(p − q)², mean over inputs; in [0, √2]."""
    return (base.exp() - policy.exp()).square().sum(1).sqrt().mean()


@on_activations()
def activation_l1(base: Sequence[Tensor], policy: Sequence[Tensor]) -> Tensor:
    """Σ|h − h₀| over all hidden units, mean over inputs."""
    return torch.stack([(a - b).abs().sum(1).double().mean() for a, b in zip(policy, base, strict=True)]).sum()


@on_activations()
def activation_l2(base: Sequence[Tensor], policy: Sequence[Tensor]) -> Tensor:
    """‖h − h₀‖₂ over all hidden units, mean over inputs."""
    squares = [(a - b).square().sum(1).double() for a, b in zip(policy, base, strict=True)]
    return torch.stack(squares).sum(0).sqrt().mean()


@on_activations()
def last_activation_l1(base: Sequence[Tensor], policy: Sequence[Tensor]) -> Tensor:
    """`activation_l1` of the last hidden layer alone: the paper does not say which layers it takes."""
    return activation_l1(base[-1:], policy[-1:])


@on_activations()
def last_activation_l2(base: Sequence[Tensor], policy: Sequence[Tensor]) -> Tensor:
    """`activation_l2` of the last hidden layer alone."""
    return activation_l2(base[-1:], policy[-1:])


@on_activations(last=True)
def cknna(base: Sequence[Tensor], policy: Sequence[Tensor], neighbours: int = 10, inputs: int = 1000) -> Tensor:
    """Alignment of the last hidden layers over mutual nearest neighbours, 1 when they are the same
    (CKNNA, arXiv 2405.07987, appendix A), on the first `inputs` inputs.

    Raises ArithmeticError when a representation does not vary, or no pair is near in both.
    """
    one, other = (hidden[-1][:inputs].double() for hidden in (base, policy))
    kernels = [h @ h.T for h in (one, other)]
    near = [_neighbours(kernel, neighbours) for kernel in kernels]
    centred = [kernel - kernel.mean(1, keepdim=True) for kernel in kernels]

    def align(a: int, b: int) -> Tensor:
        return (centred[a] * centred[b])[near[a] & near[b]].sum()

    scale = (align(0, 0) * align(1, 1)).sqrt()
    if not scale > 0 or not (near[0] & near[1]).any():
        raise ArithmeticError("CKNNA: a representation does not vary over the inputs, or no pair is near in both.")
    return align(0, 1) / scale


def _neighbours(kernel: Tensor, count: int) -> Tensor:
    """[n, n] whether j is among the `count` nearest of i (largest in the kernel), i itself left out."""
    apart = kernel.masked_fill(torch.eye(len(kernel), dtype=torch.bool), -torch.inf)
    return torch.zeros_like(kernel, dtype=torch.bool).scatter_(1, apart.topk(count, 1).indices, True)


@on_weights()
def weight_l1(base: Reference, policy: Policy) -> Tensor:
    """Σ|θ − θ₀| over all weights and biases."""
    pairs = zip(policy.parameters(), base.policy.parameters(), strict=True)
    return torch.stack([(a - b).abs().sum(dtype=torch.float64) for a, b in pairs]).sum()


@on_weights()
def fisher_l2(base: Reference, policy: Policy) -> Tensor:
    """½ Σ F (θ − θ₀)², F the base's diagonal Fisher information on inputs of the old task."""
    return quadratic(base.fisher, base.policy, policy)


@on_weights()
def spectral_norm(base: Reference, policy: Policy) -> Tensor:
    """Largest singular value of each layer's update, summed over layers."""
    return torch.tensor([_largest(update) for update in updates(base, policy)]).sum()


@on_weights(last=True)
def unchanged(base: Reference, policy: Policy) -> Tensor:
    """Share of weights and biases that are exactly as they were; weights of inputs that are always 0 are left out."""
    return _share_within(0.0, base, policy)


@on_weights(last=True)
def nearly_unchanged(base: Reference, policy: Policy, tolerance: float = 1e-5) -> Tensor:
    """Share of weights and biases that moved by at most 1e-5 (a typical weight is .03), as in `unchanged`."""
    return _share_within(tolerance, base, policy)


@on_weights(last=True)
def rank(base: Reference, policy: Policy) -> Tensor:
    """Numerical rank of a layer's update over its full rank, the lowest of the layers.

    Singular values count that exceed max(n, m)·ε of the largest, ε that of float32 (numpy's convention).
    """
    return torch.stack([torch.linalg.matrix_rank(u) / min(u.shape) for u in updates(base, policy)]).min()


def updates(base: Reference, policy: Policy) -> list[Tensor]:
    """θ − θ₀ of each weight matrix.

    Raises FloatingPointError when a weight is not finite.
    """
    moved = [(w - w0).detach() for w, w0 in zip(policy.weights, base.policy.weights, strict=True)]
    if not all(m.isfinite().all() for m in moved):
        raise FloatingPointError("A weight is not finite.")
    return moved


def _largest(update: Tensor) -> float:
    """Largest singular value, by Lanczos iteration from a fixed start."""
    if not update.any():
        return 0.0
    matrix = update.double().numpy()
    start = torch.ones(min(matrix.shape), dtype=torch.float64).numpy()
    return float(svds(matrix, k=1, v0=start, return_singular_vectors=False, tol=1e-6)[0])


def _share_within(tolerance: float, base: Reference, policy: Policy) -> Tensor:
    first, *others = updates(base, policy)
    biases = [(b - b0).detach() for b, b0 in zip(policy.biases, base.policy.biases, strict=True)]
    return torch.cat([u.flatten() for u in (first[base.lit], *others, *biases)]).abs().le(tolerance).double().mean()


def columns() -> list[str]:
    """Names of the points table's predictor columns."""
    return [f"{name}_{inputs}" for inputs in ("new", "old") for name in (*OUTPUTS, *ACTIVATIONS)] + list(WEIGHTS)
