"""A row of the table of exact values."""

from typing import NamedTuple


class Exact(NamedTuple):
    """One number: as published, in closed form, and where gradient descent ends; NaN where there is none."""

    part: str  # of the questions: A directions, B equilibria, C optima
    quantity: str
    parameters: str
    published: float
    exact: float
    descended: float = float("nan")
