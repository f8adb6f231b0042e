"""What the project promises about itself: locked versions, declared code, clean sources, a README that is true."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from forgetting.imports import PACKAGE, modules
from tests.conftest import ROOT

BIN = Path(sys.executable).parent
SCRIPTS = sorted((ROOT / "workflow/scripts").glob("*.py"))


def run(*command: str | Path) -> str:
    done = subprocess.run(list(map(str, command)), cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, (done.stdout + done.stderr)[-4000:]
    return done.stdout + done.stderr


def pins(lines: list[str]) -> dict[str, str]:
    found = (re.match(r"([A-Za-z0-9._-]+)==([^ ;]+)", line.strip()) for line in lines)
    return {m[1].lower().replace("_", "-"): m[2] for m in found if m}


def test_conda_environment_has_the_locked_versions():
    lock = pins((ROOT / "requirements.lock").read_text().splitlines())
    environment = yaml.safe_load((ROOT / "environment.yml").read_text())
    pip = next(entry["pip"] for entry in environment["dependencies"] if isinstance(entry, dict))
    assert pins(pip) == lock
    assert lock["torch"] == "2.13.0"


def test_lock_serves_what_the_package_asks_for():
    """Every dependency named in pyproject.toml is in the lock, at a version that it allows."""
    import tomllib

    from packaging.requirements import Requirement

    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    lock = pins((ROOT / "requirements.lock").read_text().splitlines())
    asked = [
        *project["dependencies"],
        *project["optional-dependencies"]["workflow"],
        *project["optional-dependencies"]["test"],
    ]
    for requirement in map(Requirement, asked):
        assert requirement.specifier.contains(lock[requirement.name.lower().replace("_", "-")]), requirement


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.stem)
def test_declared_code_is_what_python_imports(script: Path):
    """The modules read off a script's source are those that importing it loads."""
    imports = "\n".join(
        line for line in script.read_text().splitlines() if line.startswith(("from forgetting", "import forgetting"))
    )
    ours = "(m.__file__ for name, m in sys.modules.items() if name.split('.')[0] == 'forgetting')"
    program = f"import sys\n{imports}\nprint(*{ours})"
    loaded = set(map(Path, run(sys.executable, "-c", program).split()))
    assert loaded == set(modules(script))


def test_every_rule_declares_the_code_of_its_script():
    for rules in sorted((ROOT / "workflow/rules").glob("*.smk")):
        for rule in re.split(r"\n(?=rule )", rules.read_text())[1:]:
            script = re.search(r'"\.\./scripts/(\w+\.py)"', rule)
            if script:
                assert f'code("workflow/scripts/{script[1]}"' in rule, rule.splitlines()[0]


def test_every_rule_asks_for_more_when_it_is_retried():
    """A job that ran out of time or memory on a cluster gets more of both; rules without a job are exempt."""
    for rules in sorted((ROOT / "workflow/rules").glob("*.smk")):
        for rule in re.split(r"\n(?=(?:rule|checkpoint) )", rules.read_text())[1:]:
            for resource in ("mem_mb", "runtime"):
                assert re.search(rf"^\s+{resource}=by_attempt\(", rule, re.M), (resource, rule.splitlines()[0])


def test_sources_are_clean():
    folders = ["src", "workflow", "tests", "benchmarks", "tools"]
    run(BIN / "ruff", "check", *folders)
    run(BIN / "ruff", "format", "--check", *folders)
    run(BIN / "mypy")
    run(BIN / "snakefmt", "--check", "Snakefile", "workflow")


def test_workflow_lints():
    run(BIN / "snakemake", "--lint")


def test_snakefile_is_a_table_of_contents():
    assert len((ROOT / "Snakefile").read_text().splitlines()) <= 60


def test_readme_names_make_targets_that_exist():
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.M))
    named = set(re.findall(r"(?:^|[\s`(])make ([a-z-]+)", (ROOT / "README.md").read_text()))
    assert {"paper", "smoke", "test", "clean"} <= named <= targets


def test_readmes_own_method_is_real(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """The README's example of a method of one's own passes the config's check."""
    from forgetting import registry

    readme = (ROOT / "README.md").read_text()
    code = re.search(r"```python\n# my_file\.py\n(.*?)```", readme, re.S)
    line = re.search(r"^\s*(my_\w+): (\{objective: .*\})$", readme, re.M)
    assert code and line
    (tmp_path / "my_file.py").write_text(code[1])
    monkeypatch.chdir(tmp_path)
    method = yaml.safe_load(line[2])
    registry.check(method["objective"], method.get("options", {}))


def test_package_ships_its_images():
    checked = {str(p.relative_to(PACKAGE)) for p in (PACKAGE / "images").rglob("*.gz")}
    assert len(checked) == 8
