"""Run one notebook with checked parameters: ``python -m findlib.notebook NAME key=value``."""

from __future__ import annotations

import argparse
import ast
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from .paths import FindlibError, output, root, run_folder, whole

QUIET = ["--log-level=ERROR"]  # kernels warn of TCP on every start; they listen on loopback only
TYPES: dict[str, Any] = {"str": str, "int": int, "float": float, "bool": bool,
                         "list": list, "dict": dict}  # fmt: skip


@dataclass(frozen=True)
class Parameter:
    """A parameter of a notebook: its name, type, default value and help."""

    name: str
    kind: str
    default: Any
    help: str


def parameters(path: Path) -> list[Parameter]:
    """The parameters of a notebook: lines ``name: type = value  # help`` of its cell tagged
    "parameters". Raises FindlibError for a notebook without one or a line of another form."""
    import nbformat

    cells = nbformat.read(path, as_version=4).cells
    tagged = [c.source for c in cells if "parameters" in c.metadata.get("tags", [])]
    if len(tagged) != 1:
        raise FindlibError(f"{path.name}: exactly one cell must be tagged 'parameters'")
    lines = tagged[0].splitlines()
    found = []
    for node in ast.parse(tagged[0]).body:
        kind = ast.unparse(node.annotation) if isinstance(node, ast.AnnAssign) else ""
        if not isinstance(node, ast.AnnAssign) or kind not in TYPES or node.value is None:
            raise FindlibError(
                f"{path.name}, parameters, line {node.lineno}: `name: type = value  # help` with "
                f"a type of {', '.join(TYPES)} is expected"
            )
        text = lines[(node.end_lineno or node.lineno) - 1].partition("  # ")[2]
        default = ast.literal_eval(node.value)
        found.append(Parameter(ast.unparse(node.target), kind, default, text))
    return found


def read_values(known: list[Parameter], given: list[str], name: str) -> dict[str, Any]:
    """Checked values of ``key=value`` words; raises FindlibError that lists what exists."""
    by_name = {parameter.name: parameter for parameter in known}
    values = {}
    for word in given:
        key, equals, text = word.partition("=")
        if not equals or key not in by_name:
            listed = "\n".join(f"  {p.name}: {p.kind} = {p.default!r}  {p.help}" for p in known)
            raise FindlibError(f"{name} has no parameter {key!r}; it has:\n{listed}")
        values[key] = _value(by_name[key], text, name)
    return values


def _value(parameter: Parameter, text: str, name: str) -> Any:
    """A value by its parameter's type: text stays text (007, 1e5, no), the rest is YAML."""
    if parameter.kind == "str":
        return text
    if parameter.kind == "list" and not text.lstrip().startswith("["):
        return text.replace(",", " ").split()
    try:
        value = yaml.safe_load(text)
        if parameter.kind == "float":
            value = float(text)
    except (yaml.YAMLError, ValueError):
        value = None
    if type(value) is not TYPES[parameter.kind]:
        raise FindlibError(f"{name}, parameter {parameter.name}: {text!r} is no {parameter.kind}")
    return value


def find(name: str) -> Path:
    """The notebook of that name; raises FindlibError that lists the stages."""
    folder = root() / "notebooks"
    stem = name.removesuffix(".ipynb").removeprefix("notebooks/")
    path = folder / f"{stem}.ipynb"
    if Path(stem).name != stem or not path.is_file():
        names = ", ".join(sorted(p.stem for p in folder.glob("*.ipynb")))
        raise FindlibError(f"no notebook {name!r}; there are: {names}")
    return path


def execute(path: Path, values: dict[str, Any], out: Path) -> float:
    """Run a notebook through papermill into ``out``; returns the seconds it took.

    The result is written to a partial file and moved; a failed notebook leaves ``out`` as
    it was and is kept beside it as ``<name>.failed.ipynb``. Raises FindlibError with the
    notebook's own error.
    """
    import papermill
    from papermill.exceptions import PapermillExecutionError

    partial = out.with_name(f".{out.stem}.partial.ipynb")
    failed = out.with_name(f"{out.stem}.failed.ipynb")
    out.parent.mkdir(parents=True, exist_ok=True)
    started = time.monotonic()
    try:
        papermill.execute_notebook(
            str(path), str(partial), parameters=values, kernel_name="python3", cwd=str(root()),
            progress_bar=False, log_output=True, stdout_file=sys.stdout, stderr_file=sys.stderr,
            extra_arguments=QUIET,
        )  # fmt: skip
    except PapermillExecutionError as error:
        partial.replace(failed)
        raise FindlibError(f"{path.name}: {_reason(error)} (kept: {_short(failed)})") from None
    except BaseException:
        partial.unlink(missing_ok=True)
        raise
    partial.replace(out)
    failed.unlink(missing_ok=True)
    return time.monotonic() - started


def refresh(path: Path) -> None:
    """Execute a notebook in place with its defaults; no time or user leaves a trace in it.

    Raises FindlibError with the notebook's own error and leaves the file as it was.
    """
    import nbformat
    from nbclient import NotebookClient
    from nbclient.exceptions import CellExecutionError

    content = nbformat.read(path, as_version=4)
    try:
        NotebookClient(
            content, kernel_name="python3", resources={"metadata": {"path": str(root())}},
            record_timing=False, extra_arguments=QUIET,
        ).execute()  # fmt: skip
    except CellExecutionError as error:
        raise FindlibError(f"{path.name}: {_reason(error)}") from None
    for cell in content.cells:
        cell.metadata.pop("execution", None)
        if cell.cell_type == "code":  # progress and logs: they tell of the moment
            cell.outputs = [o for o in cell.outputs if o.get("name") != "stderr"]
            for output in cell.outputs:  # a widget without its kernel: its static picture stays
                output.get("data", {}).pop("application/vnd.jupyter.widget-view+json", None)
    content.metadata.pop("widgets", None)
    content.metadata["language_info"] = {"name": "python"}
    with whole(path) as partial:
        nbformat.write(content, partial)


def _reason(error: Any) -> str:
    """Our own errors as the one line that they are, others with their type."""
    ours = error.ename in ("FindlibError", "RunStopped", "CannotContinue")
    return error.evalue if ours else f"{error.ename}: {error.evalue}"


def _short(path: Path) -> str:
    return str(path.relative_to(output())) if path.is_relative_to(output()) else path.name


def main(words: list[str] | None = None) -> int:
    """The command line; returns the exit status."""
    parser = argparse.ArgumentParser(prog="python -m findlib.notebook", description=__doc__)
    parser.add_argument("name", help="a notebook, e.g. 30_grading")
    parser.add_argument("--in-place", action="store_true", help="execute the committed copy")
    parser.add_argument("values", nargs="*", metavar="key=value", help="its parameters")
    asked = parser.parse_args(words)
    try:
        path = find(asked.name)
        known = parameters(path)
        if asked.in_place:
            refresh(path)
            return 0
        values = read_values(known, asked.values, path.name)
        run = values.get("run") or next((p.default for p in known if p.name == "run"), "sample")
        out = run_folder(str(run)) / path.name
        seconds = execute(path, values, out)
    except FindlibError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    print(f"{path.stem}: {seconds:.1f} s, {_short(out)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
