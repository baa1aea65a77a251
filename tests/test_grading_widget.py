"""The grading widget: its handlers in this process, and all of it in a real JupyterLab."""

import csv
import json
import os
import shutil
import subprocess
import sys
import time
from dataclasses import replace

import nbformat
import pandas as pd
import pytest

from findlib import manual
from findlib.manual import gradesheet
from findlib.manual.gradesheet import AGREED, Row
from findlib.manual.grading_widget import KEYS, Grading
from findlib.paths import FindlibError, root
from findlib.records import Document

HOSTILE = '<script>window.hacked = 1</script><img src=x onerror="window.hacked = 2">'
CELL = f"""
import pandas as pd
from pathlib import Path
from findlib import manual
from findlib.manual import gradesheet
from findlib.manual.grading_widget import Grading
from findlib.records import Document

hostile = {HOSTILE!r}
documents = [
    Document(f"d{{i}}", f"Sales rose to 1{{i}}. {{hostile}}\\nCosts were {{hostile}} 5.\\n", "OWN",
             hostile, (f"rose to 1{{i}}",), "numeric")
    for i in range(4)
]
table = pd.DataFrame([["OWN", "m", d.doc_id, "ok"] for d in documents],
                     columns=["source", "model", "doc_id", "status"])
rows = [
    gradesheet.Row(d.doc_id, "OWN", "m", 0, gradesheet.digest(["rose"], hostile, d), "false",
                   gradesheet.json.dumps(["rose to", hostile]), hostile + " says the model", "")
    for d in documents
]
work = Grading(manual.Sample(table, tuple(rows), ()), documents, Path("sheet.csv"), "me" + hostile)
work
"""


def drawn(n=3):
    documents = [Document(f"d{i}", f"Sales rose to 1{i}.\nSo it was.\n", "OWN", "why", ("it was",), "numeric")
                 for i in range(n)]  # fmt: skip
    table = pd.DataFrame([["OWN", "m", d.doc_id, "ok"] for d in documents],
                         columns=["source", "model", "doc_id", "status"])  # fmt: skip
    rows = [Row(d.doc_id, "OWN", "m", 0, gradesheet.digest(["rose to"], "text", d), "", '["rose to"]',
                "text", "") for d in documents]  # fmt: skip
    return manual.Sample(table, tuple(rows), ()), documents


@pytest.fixture
def path(tmp_path):
    return tmp_path / "deep" / "sheet.csv"


def grading(path, grader="me", n=3, **more):
    sample, documents = drawn(n)
    return Grading(sample, documents, path, grader, **more)


def press(work, *keys, **more):
    for key in keys:
        work.key({"type": "keydown", "key": key, **more})


def labels(work):
    """The marked buttons, as a user sees them."""
    return [b.description for b in work._buttons.values() if b.description.startswith("✓")]


def status(work):
    return work._status.value


# ---- handlers, without a browser


def test_nothing_is_written_before_a_grade(path):
    work = grading(path)
    press(work, "j", "k", "w", "e")
    assert not path.exists()


def test_every_grade_is_on_disk_at_once(path):
    work = grading(path)
    order = [row.doc_id for row in work.rows]
    for key, grade in {"1": "real", "2": "not", "3": "unsure", "r": "real", "n": "not", "u": "unsure"}.items():  # fmt: skip
        press(work, key)
        assert [r.grade for r in gradesheet.read(path)] == [grade]
    work._buttons["real"].click()
    assert gradesheet.read(path) == [replace(work.rows[0], grade="real")]
    assert labels(work) == ["✓ real"]
    press(work, "h", "x", "j", "2")
    rows = gradesheet.read(path)
    assert [(r.doc_id, r.grade, r.helpful, r.known) for r in rows] == [
        (order[0], "real", True, True), (order[1], "not", False, False)]  # fmt: skip
    press(work, "k", "h")
    assert labels(work) == ["✓ real", "✓ the known one"]
    assert not gradesheet.read(path)[0].helpful
    assert work._bar.value == 2


def test_arrows_stop_at_the_ends(path):
    work = grading(path)
    press(work, "ArrowLeft", "ArrowUp")
    assert work.at == 0
    press(work, "ArrowRight", "ArrowDown", "j", "j", "j")
    assert work.at == 2


def test_keys_that_are_not_ours_do_nothing(path):
    work = grading(path)
    for modifier in ("ctrlKey", "metaKey", "altKey"):
        press(work, "1", "r", **{modifier: True})
    press(work, "1", "h", repeat=True)  # held
    press(work, "q", "Shift", "4", "")
    assert not path.exists()
    press(work, "j", repeat=True)
    assert work.at == 1
    assert set(KEYS.values()) >= {*gradesheet.GRADES, "helpful", "known", "next", "previous"}


def test_keys_are_off_while_a_note_is_written(path):
    work = grading(path)
    work._note().value = "1"  # as typed in the browser
    press(work, "1", "h", "j")
    assert [(r.grade, r.helpful, r.note) for r in gradesheet.read(path)] == [("", False, "1")]
    assert work.at == 0
    assert "keys are off" in status(work)
    work.key({"type": "click"})
    press(work, "1")
    assert [(r.grade, r.note) for r in gradesheet.read(path)] == [("real", "1")]


def test_a_note_that_arrives_late_goes_to_its_own_answer(path):
    work = grading(path)
    first = work._note()
    work.act("next")
    first.value = "typed before moving on"
    assert [(r.doc_id, r.note) for r in gradesheet.read(path)] == [
        (work.rows[0].doc_id, "typed before moving on")]  # fmt: skip
    press(work, "2")
    assert [r.note for r in gradesheet.read(path)] == ["typed before moving on", ""]


def test_it_resumes_where_it_stopped(path):
    work = grading(path)
    press(work, "1", "j", "2")
    again = grading(path)
    assert again.at == 2
    assert [again._row(i).grade for i in range(3)] == ["real", "not", ""]
    press(again, "3")
    done = grading(path)
    assert done.at == 0
    assert "every answer here has its grade" in status(done)


def test_another_grader_starts_blind(path):
    press(grading(path), "1", "h", "j", "2")
    other = grading(path, "you")
    assert (other.at, labels(other)) == (0, [])
    assert "real" not in other._given.value
    press(other, "2")
    assert sorted((r.grader, r.grade) for r in gradesheet.read(path)) == [
        ("me", "not"), ("me", "real"), ("you", "not")]  # fmt: skip


def test_two_windows_of_one_grader(path):
    """The second window sees what the first wrote before it may replace it."""
    one, two = grading(path), grading(path)
    press(one, "1")
    press(two, "2")
    assert gradesheet.read(path)[0].grade == "real"
    assert "graded elsewhere meanwhile: real" in status(two)
    assert labels(two) == ["✓ real"]
    press(two, "2")
    assert gradesheet.read(path)[0].grade == "not"
    press(one, "j", "k")  # moving reads the sheet again
    assert labels(one) == ["✓ not an inconsistency"]


def test_a_sheet_broken_meanwhile_is_told_and_left_alone(path):
    work = grading(path)
    press(work, "1")
    broken = path.read_text().replace(",real,", ",rael,")
    path.write_text(broken)
    press(work, "2")
    assert "not saved: sheet.csv, row 2: grade &#x27;rael&#x27; is unknown" in status(work)
    assert path.read_text() == broken
    press(work, "j", "k")
    assert "rael" in status(work)
    with pytest.raises(FindlibError, match="rael"):
        grading(path)


def test_a_place_that_cannot_be_written_is_told(tmp_path):
    (tmp_path / "file").write_text("")
    work = grading(tmp_path / "file" / "sheet.csv")
    press(work, "1")
    assert "not saved" in status(work)
    assert labels(work) == []


def test_deliberation_shows_both_sides_and_saves_what_was_agreed(path):
    sample, _ = drawn()
    a, b = (manual.blank(sample, name) for name in ("a", "b"))
    a = [replace(r, grade="real", note="<b>sum</b> is off") for r in a]
    b = [
        replace(r, grade="real" if r.doc_id == "d1" else "not", helpful=r.doc_id == "d0") for r in b
    ]
    gradesheet.write(path, [*a, *b])
    work = grading(path, AGREED)
    assert [r.doc_id for r in work.rows] == ["d0", "d2"]
    assert "deliberation of a and b" in work._head.value
    for shown in ("<td>real</td><td>not an inconsistency</td>", "<td>no</td><td>yes</td>",
                  "<td>&lt;b&gt;sum&lt;/b&gt; is off</td>"):  # fmt: skip
        assert shown in work._given.value
    press(work, "2", "h", "j", "1")
    assert [(r.doc_id, r.grade, r.helpful, r.note) for r in gradesheet.read(path) if r.grader == AGREED] == [
        ("d0", "not", True, ""), ("d2", "real", False, "")]  # fmt: skip
    settled = manual.settle(sample, gradesheet.read(path))
    assert settled.answers.state.tolist() == ["deliberated", "both", "deliberated"]
    assert settled.answers.grade.tolist() == ["not", "real", "real"]
    assert grading(path, AGREED).rows == work.rows  # settled ones can be looked at again


def test_deliberation_without_two_graders_and_without_disagreement(path):
    with pytest.raises(FindlibError, match="two graders"):
        grading(path, AGREED)
    sample, _ = drawn()
    gradesheet.write(path, [replace(r, grade="not") for g in "ab" for r in manual.blank(sample, g)])
    work = grading(path, AGREED)
    assert "Nothing to grade" in work._head.value
    press(work, "1", "j", "h")
    assert not [r for r in gradesheet.read(path) if r.grader == AGREED]


def test_the_expected_inconsistency_is_hidden_until_asked_for(path):
    work = grading(path)
    assert work._expected.value == ""
    press(work, "e")
    assert "expected inconsistency" in work._expected.value
    assert grading(path, show_expected=True)._expected.value


def test_the_whole_document_and_a_picture_without_a_kernel(path):
    work = grading(path)
    assert "So it was" not in work._passages.value
    press(work, "w")
    assert "So it was" in work._passages.value
    assert ">rose to</mark>" in work._passages.value
    bundle = work._repr_mimebundle_()
    assert "rose to</mark>" in bundle["text/html"]
    assert "application/vnd.jupyter.widget-view+json" in bundle
    assert str(path) not in json.dumps(bundle)


def test_the_committed_notebook_holds_a_picture_and_no_dead_widget():
    """A widget without its kernel shows an error where it is opened."""
    content = nbformat.read(root() / "notebooks/45_manual_grading.ipynb", as_version=4)
    data = [o.data for c in content.cells for o in c.get("outputs", []) if "data" in o]
    assert "widgets" not in content.metadata
    assert not any("application/vnd.jupyter.widget-view+json" in d for d in data)
    assert any("</mark>" in d.get("text/html", "") for d in data)


# ---- in JupyterLab, by mouse and keyboard


@pytest.fixture
def lab(tmp_path):
    """A JupyterLab server of its own on a free port: (address, token, folder)."""
    pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    if not shutil.which("chromium"):
        pytest.skip("no chromium on PATH: the widget is not tried in a browser")
    folder = tmp_path / "lab"
    folder.mkdir()
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(CELL)])
    notebook.metadata["kernelspec"] = {"name": "python3", "display_name": "Python 3"}
    nbformat.write(notebook, folder / "grade.ipynb")
    places = {f"JUPYTER_{name}_DIR": str(tmp_path / name) for name in ("CONFIG", "DATA", "RUNTIME")}
    environment = {**os.environ, **places, "IPYTHONDIR": str(tmp_path / "ipython")}
    with (tmp_path / "log").open("w") as log:
        server = subprocess.Popen(
            [sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root",
             "--ServerApp.port=0", "--ServerApp.token=secret", f"--ServerApp.root_dir={folder}"],
            env=environment, stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT,
        )  # fmt: skip
    try:
        running = tmp_path / "RUNTIME"
        until(lambda: list(running.glob("jpserver-*.json")) or server.poll() is not None, 60)
        assert server.poll() is None, (tmp_path / "log").read_text()
        found = json.loads(next(running.glob("jpserver-*.json")).read_text())
        yield found["url"], "secret", folder
    finally:
        server.terminate()  # shuts its kernels down too
        try:
            server.wait(30)
        except subprocess.TimeoutExpired:
            server.kill()
            server.wait(10)


@pytest.fixture
def page(lab):
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox"]
        )
        try:
            found = browser.new_page(viewport={"width": 1200, "height": 1000})
            found.set_default_timeout(60_000)
            found.on("dialog", lambda dialog: dialog.accept())
            yield found
        finally:
            browser.close()


def until(condition, seconds=30):
    """Wait until a condition holds; its last value is returned either way."""
    end = time.monotonic() + seconds
    while not (value := condition()) and time.monotonic() < end:
        time.sleep(0.1)
    return value


def on_disk(folder):
    """(document, grade, helpful, note) as any other program reads them."""
    path = folder / "sheet.csv"
    if not path.exists():
        return []
    with path.open(encoding="utf-8-sig", newline="") as file:
        return [(r["doc_id"], r["grade"], r["helpful"], r["note"]) for r in csv.DictReader(file)]


def assert_disk(folder, *wanted):
    until(lambda: on_disk(folder) == list(wanted))
    assert on_disk(folder) == list(wanted)


def open_and_run(page, lab):
    """Open the notebook and run its cell; once more if the first key came too early."""
    url, token, _ = lab
    page.goto(f"{url}lab/tree/grade.ipynb?token={token}")
    page.get_by_text("| Idle").wait_for()
    for _ in range(3):
        page.locator(".jp-CodeCell .cm-content").first.click()
        page.keyboard.press("Shift+Enter")
        if until(page.locator(".findlib-grading").is_visible, 20):
            return
    pytest.fail("the widget did not appear")


def test_grading_in_jupyterlab(page, lab):
    url, token, folder = lab
    open_and_run(page, lab)
    box = page.locator(".findlib-grading")
    title = box.locator(".widget-html-content").first
    order = []  # documents in the grader's order, as they come on display

    def at(number):
        title.get_by_text(f"{number} of 4", exact=True).wait_for()
        order[number - 1 :] = [title.inner_text().split(" · ")[3].split(",")[0]]

    # a click, then keys, each on disk at once
    at(1)
    page.get_by_role("button", name="real", exact=True).click()
    assert_disk(folder, (order[0], "real", "false", ""))
    page.keyboard.press("h")
    assert_disk(folder, (order[0], "real", "true", ""))
    page.keyboard.press("j")
    at(2)
    page.keyboard.press("2")
    first = (order[0], "real", "true", "")
    assert_disk(folder, first, (order[1], "not", "false", ""))

    # keys in the note field are text, also where the pointer slips off it
    note = page.get_by_placeholder("note (optional)")
    note.click()
    page.keyboard.type("run 123")
    assert_disk(folder, first, (order[1], "not", "false", "run 123"))
    box.hover()
    page.keyboard.type("1h")
    page.get_by_text("keys are off while you write the note").wait_for()
    assert note.input_value() == "run 123"
    assert_disk(folder, first, (order[1], "not", "false", "run 123"))
    title.click()
    page.keyboard.press("3")
    second = (order[1], "unsure", "false", "run 123")
    assert_disk(folder, first, second)

    # with the pointer elsewhere, keys neither grade nor reach JupyterLab, whose "1" and "r"
    # would turn the cell into text
    page.mouse.move(5, 900)
    page.keyboard.type("1r")
    page.get_by_text("keys work while the pointer is over the box").wait_for()
    assert box.is_visible()
    assert_disk(folder, first, second)

    # a note typed and left at once still goes to its own answer
    box.hover()
    page.keyboard.press("j")
    at(3)
    note.click()
    page.keyboard.type("typed in haste")
    page.get_by_role("button", name="next").click()
    at(4)
    third = (order[2], "", "false", "typed in haste")
    assert_disk(folder, first, second, third)

    # what a hostile document holds is shown and does nothing
    page.keyboard.press("w")
    page.keyboard.press("e")
    page.get_by_text("expected inconsistency", exact=False).first.wait_for()
    assert "<script>window.hacked" in box.inner_text()
    assert box.locator("script, img").count() == 0
    assert page.evaluate("window.hacked") is None

    # a new kernel and a new page go on where this stopped
    kernels = page.request.get(f"{url}api/kernels?token={token}").json()
    page.request.post(f"{url}api/kernels/{kernels[0]['id']}/restart?token={token}")
    open_and_run(page, lab)
    at(3)
    page.get_by_text("2 graded").wait_for()
    assert note.input_value() == "typed in haste"
    page.get_by_role("button", name="not an inconsistency").click()
    assert_disk(folder, first, second, (order[2], "not", "false", "typed in haste"))
