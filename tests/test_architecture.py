"""The house, enforced: who may import whom, no cycles, no long lines, few names."""

import ast
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

import soloc

ROOT = Path(__file__).resolve().parents[1]
SOURCE = ROOT / "src" / "soloc"
ROOMS = sorted(path.parent.name for path in SOURCE.glob("*/__init__.py"))
ALIGNED = {"maths", "tasks", "predictors", "risk"}  # what moves or learns stands on these
SCIENCE = {*ALIGNED, "dynamics", "learning", "networks", "estimators", "datasets", "text"}
PLUMBING = {"runs", "figures", "report", "experiments"}
#: The table of CONTRIBUTING.md.
MAY_IMPORT = {
    "maths": set(),
    "runs": set(),
    "figures": set(),
    "tasks": {"maths"},
    "predictors": {"maths"},
    "risk": {"maths", "tasks", "predictors"},
    "dynamics": ALIGNED | {"figures"},  # and those only to draw a path, see below
    "learning": {"maths", "tasks"},
    "networks": ALIGNED,
    "estimators": {"figures"},  # and those only to draw an explanation, see below
    "datasets": {"maths", "estimators"},  # and of those only bags, see below
    "text": {"estimators"},
    "experiments": SCIENCE,
    "report": {"runs", "figures", "experiments"},
    "lab": SCIENCE | PLUMBING,
    "cli": SCIENCE | PLUMBING | {"lab"},  # lab only to start it, see below
}

WRITTEN = ("src", "tests", "benchmarks", "examples")


@cache
def tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text())


@cache
def modules() -> dict[str, Path]:
    """Every module of soloc by its dotted name."""
    found = {}
    for path in SOURCE.rglob("*.py"):
        parts = path.relative_to(SOURCE.parent).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


@cache
def imported(path: Path) -> set[str]:
    """Names that a file imports, at the top, inside a function or for the type checker."""
    names: set[str] = set()
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0 and node.module, f"{path.name} has a relative import"
            names |= {f"{node.module}.{alias.name}" for alias in node.names}
    return names


def imported_rooms(path: Path) -> set[str]:
    return {name.split(".")[1] for name in imported(path) if name.startswith("soloc.")} & {*ROOMS}


def imported_modules(path: Path) -> set[str]:
    """Modules of soloc behind the names; `from a import b` is module a.b, or a itself."""
    return {
        name if name in modules() else name.rpartition(".")[0]
        for name in imported(path)
        if name.split(".")[0] == "soloc"
    }


def test_every_room_has_a_row_in_the_table():
    assert set(ROOMS) <= set(MAY_IMPORT)


@pytest.mark.parametrize("room", ROOMS)
def test_a_room_imports_only_what_the_table_allows(room):
    for path in sorted((SOURCE / room).rglob("*.py")):
        beyond = imported_rooms(path) - MAY_IMPORT[room] - {room}
        assert not beyond, (
            f"{path.relative_to(SOURCE)} imports {sorted(beyond)}; the table allows"
            f" {sorted(MAY_IMPORT[room])}"
        )


@pytest.mark.parametrize(
    "room", [room for room in ROOMS if room not in ("experiments", "lab", "cli")]
)
def test_a_permission_that_no_file_uses_leaves_the_table(room):
    used = set().union(*(imported_rooms(path) for path in (SOURCE / room).rglob("*.py")))
    assert MAY_IMPORT[room] & {*ROOMS} <= used


def test_paths_and_explanations_are_drawn_and_datasets_know_only_bags():
    for path in sorted((SOURCE / "dynamics").rglob("*.py")):
        assert "figures" not in imported_rooms(path) or path.name == "path.py", path.name
    for path in sorted((SOURCE / "estimators").rglob("*.py")):
        assert "figures" not in imported_rooms(path) or path.name == "explain.py", path.name
    for path in sorted((SOURCE / "datasets").rglob("*.py")):
        known = {name for name in imported_modules(path) if name.startswith("soloc.estimators")}
        assert known <= {"soloc.estimators.bags"}, path.name


def test_only_the_command_that_starts_the_lab_imports_it():
    for path in sorted((SOURCE / "cli").rglob("*.py")):
        assert "lab" not in imported_rooms(path) or path.name == "lab.py", path.name


def test_figures_do_not_import_jax():
    for path in sorted((SOURCE / "figures").rglob("*.py")):
        assert not {name for name in imported(path) if name.split(".")[0] == "jax"}, path.name


def test_no_import_leads_back_to_itself_not_even_inside_a_function():
    graph = {name: imported_modules(path) - {name} for name, path in modules().items()}
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        pytest.fail(" -> ".join(error.args[1]))


@pytest.mark.parametrize("folder", WRITTEN)
def test_no_line_is_longer_than_100_columns(folder):
    long = [
        f"{path.relative_to(ROOT)}:{number} has {len(line)}"
        for kind in ("py", "js")
        for path in sorted((ROOT / folder).rglob(f"*.{kind}"))
        if not path.name.endswith(".min.js")
        for number, line in enumerate(path.read_text().splitlines(), 1)
        if len(line) > 100
    ]
    assert not long


def test_people_meet_at_most_35_names():
    assert len(soloc.__all__) <= 35 and set(soloc.__all__) <= set(dir(soloc))


def stubs(path: Path) -> list[str]:
    """Functions that only raise NotImplementedError and are not abstract."""
    found = []
    for node in ast.walk(tree(path)):
        if not isinstance(node, ast.FunctionDef):
            continue
        marks = {getattr(mark, "id", getattr(mark, "attr", "")) for mark in node.decorator_list}
        raised = {
            ast.unparse(step.exc) for step in node.body if isinstance(step, ast.Raise) and step.exc
        }
        if any("NotImplemented" in error for error in raised) and "abstractmethod" not in marks:
            found.append(f"{path.relative_to(SOURCE)}: {node.name}")
    return found


def test_nothing_promises_what_it_does_not_do():
    assert [stub for path in modules().values() for stub in stubs(path)] == []
