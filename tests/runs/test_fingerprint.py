"""Names of results change when, and only when, something that decides the result changes."""

import subprocess
import sys
from dataclasses import dataclass

import numpy as np
import pytest

from soloc.runs.fingerprint import _imports, canonical, describe, digest, versions_of


@dataclass(frozen=True)
class Inner:
    lam: float = 0.1


@dataclass(frozen=True)
class Outer:
    inner: Inner = Inner()
    lengths: tuple[int, ...] = (1, 2)
    name: str | None = None


def test_a_config_becomes_plain_json_values():
    assert describe(Outer()) == {"inner": {"lam": 0.1}, "lengths": [1, 2], "name": None}


def test_what_json_cannot_hold_exactly_is_refused():
    with pytest.raises(TypeError, match="`config`"):
        describe((np.float64, object()))
    with pytest.raises(ValueError):
        canonical(float("nan"))


def test_the_order_of_keys_does_not_matter_and_one_bit_does():
    assert digest({"a": 1, "b": 2.0}) == digest({"b": 2.0, "a": 1})
    assert digest({"a": 0.1}) != digest({"a": np.nextafter(0.1, 1.0).item()})


def test_the_code_version_sees_the_modules_that_a_module_imports(tmp_path):
    package = tmp_path / "pack"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "top.py").write_text(
        "from pack import base\n\ndef run(config): return base.ANSWER\n"
    )
    (package / "aside.py").write_text("X = 1\n")
    base = package / "base.py"

    def version():
        script = (
            "from soloc.runs.fingerprint import code_version; from pack.top import run;"
            " print(code_version(run))"
        )
        done = subprocess.run(
            [sys.executable, "-B", "-c", script],
            env={"PYTHONPATH": f"{tmp_path}:{':'.join(sys.path)}"},
            capture_output=True,
            text=True,
            check=True,
        )
        return done.stdout

    base.write_text("ANSWER = 42\n")
    first = version()
    (package / "aside.py").write_text("X = 2\n")
    assert version() == first
    base.write_text("ANSWER = 43\n")
    assert version() != first


def test_packages_are_found_by_the_modules_they_bring():
    import sklearn

    found = versions_of(("sklearn", "numpy", "no_such_module"))
    assert found == {
        "scikit-learn": sklearn.__version__,
        "numpy": np.__version__,
        "no_such_module": "missing",
    }


def test_imports_are_found_wherever_a_statement_may_stand():
    source = b"""
import a
class B:
    async def f(self):
        with open("x") as file:
            for _ in file:
                from c import d
try:
    import e
except* ValueError:
    import f
match 1:
    case 1:
        import g
if True: import h
"""
    assert {*_imports(source)} == {"a", "c", "c.d", "e", "f", "g", "h"}
