"""The launcher, the expected numbers, and the repository's own promises."""

import json
import re
import subprocess
import sys

import nbformat
import pytest
import yaml
from packaging.requirements import Requirement

from findlib import expected, notebook, runs
from findlib.notebook import Parameter
from findlib.paths import FindlibError, root, run_folder, source

KNOWN = [Parameter("run", "str", "sample", "its name"), Parameter("n", "int", 3, ""),
         Parameter("x", "float", 0.0, ""), Parameter("on", "bool", True, ""),
         Parameter("names", "list", [], ""), Parameter("more", "dict", {}, "")]  # fmt: skip


@pytest.mark.parametrize(("word", "value"), [
    ("run=007", "007"), ("run=1e5", "1e5"), ("run=no", "no"), ("run=", ""), ("run=a=b", "a=b"),
    ("n=7", 7), ("x=3", 3.0), ("x=1e5", 100000.0), ("on=false", False), ("on=no", False),
    ("names=a b,c", ["a", "b", "c"]), ("names=[a, '1']", ["a", "1"]), ("names=", []),
    ("more={a: 1}", {"a": 1}),
])  # fmt: skip
def test_values_arrive_as_they_were_meant(word, value):
    got = notebook.read_values(KNOWN, [word], "nb")[word.partition("=")[0]]
    assert got == value
    assert type(got) is type(value)


@pytest.mark.parametrize("word", ["n=x", "n=1.5", "n=true", "on=1", "more=[1]", "x=y", "names=[a"])
def test_wrong_types_are_refused(word):
    with pytest.raises(FindlibError, match=word.partition("=")[0]):
        notebook.read_values(KNOWN, [word], "nb")


@pytest.mark.parametrize("word", ["rum=x", "run", "=x"])
def test_unknown_parameters_are_refused_with_the_list(word):
    with pytest.raises(FindlibError, match=r"its name"):
        notebook.read_values(KNOWN, [word], "nb")


def make(path, *cells, tags=("parameters",)):
    content = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(c) for c in cells])
    content.metadata["language_info"] = {"name": "python"}
    content.cells[0].metadata["tags"] = list(tags)
    nbformat.write(content, path)
    return path


def test_a_failed_notebook_leaves_the_result_as_it_was(tmp_path, capfd):
    path = make(tmp_path / "nb.ipynb", "n: int = 1  # help", "print(10 / n)")
    out = tmp_path / "done" / "nb.ipynb"
    notebook.execute(path, {"n": 2}, out)
    before = out.read_bytes()
    with pytest.raises(FindlibError, match="ZeroDivisionError"):
        notebook.execute(path, {"n": 0}, out)
    assert out.read_bytes() == before
    assert "ZeroDivisionError" in (out.parent / "nb.failed.ipynb").read_text()
    assert sorted(p.name for p in out.parent.iterdir()) == ["nb.failed.ipynb", "nb.ipynb"]
    notebook.execute(path, {"n": 4}, out)
    assert [p.name for p in out.parent.iterdir()] == ["nb.ipynb"]
    assert "2.5" in out.read_text()


@pytest.mark.parametrize("cell", ["n = 1", "n: int | None = None", "n: int", "print(1)"])
def test_a_parameters_cell_of_another_form_is_refused(tmp_path, cell):
    with pytest.raises(FindlibError, match="expected"):
        notebook.parameters(make(tmp_path / "nb.ipynb", cell))


def test_a_notebook_without_parameters_is_refused(tmp_path):
    with pytest.raises(FindlibError, match="parameters"):
        notebook.parameters(make(tmp_path / "nb.ipynb", "n: int = 1", tags=()))


def test_every_stage_has_typed_parameters_with_help():
    for path in sorted((root() / "notebooks").glob("*.ipynb")):
        found = notebook.parameters(path)
        assert all(p.help for p in found), path
        assert found[0].name == "run"


def test_launcher_exit_status_and_messages(capsys):
    assert notebook.main(["nope"]) == 1
    assert "00_data" in capsys.readouterr().err
    assert notebook.main(["../00_data"]) == 1
    assert notebook.main(["00_data", "run=../x"]) == 1
    assert "plain folder name" in capsys.readouterr().err
    assert notebook.main(["00_data", "dateset=x"]) == 1
    assert "dataset: str" in capsys.readouterr().err


def test_a_stage_without_its_inputs_names_the_stage_before(scratch):
    with pytest.raises(FindlibError, match=r"NB=20_inference RUN=new"):
        runs.table("new", "answers")


def test_expected_numbers(scratch, tmp_path, monkeypatch):
    kept = tmp_path / "expected.json"
    monkeypatch.setattr(expected, "file", lambda: kept)
    assert "not compared" in expected.check("r", "s", {"data": "x", "n": 1})
    kept.write_text(json.dumps({"s": {"data": "x", "n": 1.0}}))
    assert "all 2 numbers" in expected.check("r", "s", {"data": "x", "n": 1.0 + 1e-9})
    assert "not compared" in expected.check("r", "s", {"data": "y", "n": 5})
    for wrong in ({"data": "x", "n": 1.1}, {"data": "x"}, {"data": "x", "n": float("nan")}):
        with pytest.raises(FindlibError, match="n: "):
            expected.check("r", "s", wrong)
    assert expected.stated("r")["s"]["data"] == "x"


def test_paths_refuse_what_is_not_there():
    with pytest.raises(FindlibError, match="no such file"):
        source("nowhere")
    for name in ("", "..", "a/b", ".hidden"):
        with pytest.raises(FindlibError, match="plain folder name"):
            run_folder(name)


# ---- the repository's own promises


def locked():
    text = (root() / "requirements-bleurt.lock").read_text()
    pins = {m[1].lower(): m[2] for m in re.finditer(r"^([\w.-]+)==([\w.]+)", text, re.M)}
    return pins | {"torch": "2.13.0"}


def environment(name="environment.yml"):
    content = yaml.safe_load((root() / name).read_text())
    conda = [d for d in content["dependencies"] if isinstance(d, str)]
    pip = [p for d in content["dependencies"] if isinstance(d, dict) for p in d["pip"]]
    return conda, pip


def test_environment_agrees_with_the_lock():
    """py-rattler reads the conda part, packaging the pip part; every pin is the lock's."""
    rattler = pytest.importorskip("rattler")
    conda, pip = environment()
    pins = locked()
    versions = {}
    for line in conda:
        spec = rattler.MatchSpec(line, strict=True)
        versions[spec.name.normalized] = str(spec.version).removeprefix("==")
    for line in pip:
        requirement = Requirement(line)
        versions[requirement.name.lower()] = str(requirement.specifier).removeprefix("==")
    wanted = {"jupyterlab", "papermill", "litellm", "bleurt-pytorch", "scipy", "statsmodels",
              "matplotlib", "seaborn", "infini-gram", "nbval"}  # fmt: skip
    assert wanted <= set(versions)
    for name, version in versions.items():
        if name not in ("python", "pip"):
            assert version == pins[name], name
    assert any("vllm" in line for line in environment("environment-vllm.yml")[1])
    assert "environment-vllm.yml" in (root() / "environment.yml").read_text()


def test_locks_agree_carry_hashes_and_name_no_host():
    names = {}
    for name in ("requirements.lock", "requirements-bleurt.lock"):
        text = (root() / name).read_text()
        assert "://" not in text
        assert "index" not in re.sub(r"--hash=\S+", "", text).split()
        blocks = re.findall(r"^[\w.-]+==.*(?:\n    .*)*", text, re.M)
        assert all("--hash=sha256:" in block for block in blocks)
        names[name] = {block.split("\n")[0].strip(" \\") for block in blocks}
    assert "torch" not in {n.split("==")[0] for n in names["requirements-bleurt.lock"]}
    assert names["requirements.lock"] <= names["requirements-bleurt.lock"]


def test_make_help_lists_the_targets():
    printed = subprocess.run(
        ["make", "help"], cwd=root(), capture_output=True, text=True, check=True
    ).stdout
    for target in [
        "paper",
        "test",
        "lint",
        "format",
        "notebook",
        "notebooks",
        "inference",
        "serve",
        "lab",
        "clean",
    ]:
        assert re.search(rf"^{target}\s", printed, re.M), target


def test_readme_names_the_two_commands_and_one_figure():
    text = (root() / "README.md").read_text()
    first_screen = text[:2500]
    assert "make paper" in first_screen
    assert "make test" in first_screen
    shown = re.search(r"!\[[^\]]*\]\(([^)]+)\)", first_screen)[1]
    assert (root() / shown).is_file()


def test_every_figure_and_table_is_in_reproducing():
    text = (root() / "REPRODUCING.md").read_text()
    drawn = {p.stem for p in (root() / "figures").glob("*.md")}
    assert drawn
    assert [name for name in sorted(drawn) if f"`{name}`" not in text] == []


def test_importing_findlib_is_light():
    """Heavy packages are imported where they are used."""
    code = "import sys, findlib.find, findlib.figures, findlib.judge, findlib.description\n"
    code += "print([m for m in ('litellm', 'torch', 'matplotlib', 'seaborn', 'statsmodels', 'openai') if m in sys.modules])"
    printed = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert printed.stdout.strip() == "[]"
