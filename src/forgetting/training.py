"""The training loop, whole: every policy of the parity line, base or fine-tuned, goes through `train`."""

import ctypes
import math
from collections.abc import Callable, Iterable, Iterator

import torch
from torch import Tensor, nn

from forgetting.objectives import Batch

Objective = Callable[[nn.Module, Batch], Tensor]


class AdamW:
    """AdamW on PyTorch's fused kernel (arXiv 1711.05101), equal to `torch.optim.AdamW(fused=True)` to the bit.

    Called directly, because the bookkeeping around the kernel takes half as long again as the kernel itself for a
    policy of this size (see benchmarks/training.py).
    """

    def __init__(self, parameters: Iterable[Tensor], weight_decay: float = 0.0) -> None:
        self.parameters = [p.detach() for p in parameters]
        self.mean = [torch.zeros_like(p) for p in self.parameters]
        self.square = [torch.zeros_like(p) for p in self.parameters]
        self.steps = [torch.zeros(()) for _ in self.parameters]
        self.weight_decay = weight_decay

    def step(self, gradients: Iterable[Tensor], learning_rate: float) -> None:
        """Move the parameters, in place."""
        torch._foreach_add_(self.steps, 1)
        torch._fused_adamw_(
            self.parameters,
            list(gradients),
            self.mean,
            self.square,
            [],
            self.steps,
            lr=learning_rate,
            beta1=0.9,
            beta2=0.999,
            weight_decay=self.weight_decay,
            eps=1e-8,
            amsgrad=False,
            maximize=False,
        )


class SGD:
    """Stochastic gradient descent with momentum 0.9, as torch.optim has it."""

    def __init__(self, parameters: Iterable[Tensor], weight_decay: float = 0.0) -> None:
        self.parameters = list(parameters)
        self.optimizer = torch.optim.SGD(self.parameters, lr=1.0, momentum=0.9, weight_decay=weight_decay)

    def step(self, gradients: Iterable[Tensor], learning_rate: float) -> None:
        """Move the parameters, in place."""
        self.optimizer.param_groups[0]["lr"] = learning_rate
        for parameter, gradient in zip(self.parameters, gradients, strict=True):
            parameter.grad = gradient
        self.optimizer.step()


OPTIMIZERS: dict[str, type[AdamW] | type[SGD]] = {"adamw": AdamW, "sgd": SGD}


def learning_rates(peak: float, schedule: str, steps: int, warmup: float) -> list[float]:
    """Learning rate of each of `steps` steps: linear warm-up over the share `warmup`, then constant or cosine to 0."""
    rising = round(warmup * steps)

    def factor(step: int) -> float:
        if step < rising:
            return (step + 1) / (rising + 1)
        if schedule == "constant":
            return 1.0
        return 0.5 * (1 + math.cos(math.pi * (step - rising) / max(1, steps - rising)))

    return [peak * factor(step) for step in range(steps)]


def epoch_batches(images: int, batch_size: int, epochs: int, generator: torch.Generator) -> Iterator[Tensor]:
    """Row numbers of each batch: every image once an epoch, in a new order each time."""
    for _ in range(epochs):
        yield from torch.randperm(images, generator=generator).split(batch_size)


def train(
    policy: nn.Module,
    objective: Objective,
    batches: Iterable[Batch],
    rates: Iterable[float],
    weight_decay: float = 0.0,
    optimizer: str = "adamw",
) -> Iterator[int]:
    """Descend `objective` on `batches` by one of OPTIMIZERS, in place; yields the number of each step when it is done.

    Stops early, before the step that would spoil the weights, when the loss is not finite: the caller sees fewer
    steps than it asked for. Whatever the caller does between the steps leaves the training as it is, as long as it
    does not write to the policy.
    """
    parameters = list(policy.parameters())
    moves = OPTIMIZERS[optimizer](parameters, weight_decay)
    for step, (batch, rate) in enumerate(zip(batches, rates, strict=True), start=1):
        loss = objective(policy, batch)
        if not math.isfinite(loss.item()):
            return
        moves.step(torch.autograd.grad(loss, parameters), rate)
        yield step


def use_threads(threads: int) -> None:
    """Set PyTorch up for small, fast steps on `threads` threads of this process.

    Denormal numbers are flushed to zero: Adam's squares of tiny gradients become denormal, and each costs a hundred
    ordinary operations. Freed memory is kept by the process: glibc would hand the 1.6 MB of a gradient back to the
    kernel and fetch it again, page by page, at every step.
    """
    torch.set_num_threads(threads)
    torch.set_flush_denormal(True)
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is not None:
        trim_threshold, mmap_threshold, keep = -1, -3, 1 << 30
        mallopt(trim_threshold, keep)
        mallopt(mmap_threshold, keep)
