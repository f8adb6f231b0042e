"""What the sections of the config share: ranges of values, frozen models that know their keys, learning rates."""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

Name = Annotated[str, Field(pattern=r"^[A-Za-z][A-Za-z0-9_-]*$")]
Share = Annotated[float, Field(ge=0, le=1)]
Rate = Annotated[float, Field(gt=0, le=1e6, allow_inf_nan=False)]
Count = Annotated[int, Field(ge=1)]
Seed = Annotated[int, Field(ge=0)]
Schedule = Literal["constant", "cosine"]


class Section(BaseModel):
    """A part of the config: immutable, and no key that it does not know."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=False)


class LearningRates(Section):
    """Log-spaced learning rates, ends included."""

    low: Rate = Field(description="Smallest rate.")
    high: Rate = Field(description="Largest rate.")
    count: Count = Field(description="How many.")

    @model_validator(mode="after")
    def ordered(self) -> "LearningRates":
        """Refuse a grid that runs backwards."""
        if self.low > self.high:
            raise ValueError(f"low ({self.low}) is above high ({self.high})")
        return self

    def values(self) -> list[float]:
        """The rates, rounded to six digits, so that they print as they are."""
        ratio = self.high / self.low
        last = max(1, self.count - 1)
        return [float(f"{self.low * ratio ** (k / last):.6g}") for k in range(self.count)]
