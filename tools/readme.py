"""Bring the README's section "What reproduced" up to the kept run: python tools/readme.py"""

import re
from pathlib import Path

import pandas as pd

from forgetting.config import PUBLISHED
from forgetting.summary import markdown
from forgetting.whole import write_text

ROOT = Path(__file__).parents[1]
SECTION = re.compile(r"(?<=<!-- made by tools/readme.py -->\n).*?(?=<!-- end -->)", re.S)


def renewed(readme: str, claims: pd.DataFrame) -> str:
    """The README with its section made anew; raises ValueError where it has none."""
    if not SECTION.search(readme):
        raise ValueError("README.md has no section between the markers of tools/readme.py")
    return SECTION.sub(lambda found: markdown(claims), readme)


if __name__ == "__main__":
    path = ROOT / "README.md"
    write_text(renewed(path.read_text(), pd.read_csv(ROOT / PUBLISHED / "claims.csv")), path)
