"""Write environment.yml, for conda users, from requirements.lock: python tools/environment.py"""

from pathlib import Path

ROOT = Path(__file__).parents[1]
HEAD = """# The versions of requirements.lock for conda users, made from it by tools/environment.py:
#   conda env create -f environment.yml && conda activate forgetting && pip install --no-deps -e .
# The solve was not verified by this project's tests; they check that the versions are the lock's.
name: forgetting
channels:
  - conda-forge
dependencies:
  - python=3.11
  - pip
  - pip:
"""


def main() -> None:
    """Copy the pins."""
    pins = [line for line in (ROOT / "requirements.lock").read_text().splitlines() if "==" in line]
    (ROOT / "environment.yml").write_text(HEAD + "".join(f"      - {pin}\n" for pin in pins))


if __name__ == "__main__":
    main()
