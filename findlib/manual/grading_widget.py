"""A small widget for grading answers by hand in JupyterLab, by mouse or keyboard."""

from __future__ import annotations

import html
import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from .. import show
from ..paths import FindlibError
from ..records import Answer, Document
from . import Sample, blank, deliberation, gradesheet, settle
from .gradesheet import AGREED, GRADES, Row, SheetChanged

LABELS = {
    "real": "real", "not": "not an inconsistency", "unsure": "unsure", "helpful": "helpful",
    "known": "the known one", "previous": "◀ previous", "next": "next ▶",
    "whole": "whole document", "expected": "expected inconsistency",
}  # fmt: skip
COLOURS = {"real": "success", "not": "danger", "unsure": "warning"}
KEYS = {
    "1": "real", "r": "real", "2": "not", "n": "not", "3": "unsure", "u": "unsure",
    "h": "helpful", "x": "known", "w": "whole", "e": "expected", "j": "next", "k": "previous",
    "ArrowRight": "next", "ArrowDown": "next", "ArrowLeft": "previous", "ArrowUp": "previous",
}  # fmt: skip
LEGEND = (
    "keys, while the pointer is over this box: <b>1 2 3</b> or <b>r n u</b> grade, <b>h</b> "
    "helpful, <b>x</b> the known one, <b>j k</b> or arrows next and previous, <b>w</b> whole "
    "document, <b>e</b> expected inconsistency"
)
SINK = "keys work while the pointer is over the box"
STYLE = """<style>
.findlib-grading {border: 2px solid #ccc; border-radius: 4px; padding: 8px; outline: none}
.findlib-grading.ipyevents-watched {border-color: #4477aa}
.findlib-sink {opacity: 0}
.findlib-grading .widget-html-content, .findlib-status .widget-html-content {line-height: 1.4}
.findlib-grading table td, .findlib-grading table th
 {text-align: left; padding: 2px 12px 2px 0; vertical-align: top; white-space: pre-wrap}
</style>"""


class Grading:
    """One grader at work on a sample; the grades lie in the sheet, never only here.

    ``drawn``: `manual.sample`; ``documents``: the run's; ``path``: the sheet, made at the
    first grade; ``grader``: the name in the sheet, or gradesheet.AGREED for the pass over
    what two ``graders`` differ on. Starts at the first answer without a grade. Every click,
    tick or key is saved at once; what another process wrote stays and is shown.
    ``widget`` is the ipywidgets box, which the object displays as.

    Raises FindlibError for an unreadable sheet and, in the deliberation pass, for a sheet
    without two graders' grades.
    """

    def __init__(
        self, drawn: Sample, documents: Sequence[Document], path: Path, grader: str,
        graders: Sequence[str] = (), seed: int = 0, show_expected: bool = False,
    ) -> None:  # fmt: skip
        self.documents = {document.doc_id: document for document in documents}
        self.path, self.grader = path, grader
        self.saved: dict[gradesheet.Key, Row] = {}
        self._read()
        self.graders: tuple[str, ...] = ()
        if grader == AGREED:
            settled = settle(drawn, self.saved.values(), graders)
            self.rows, self.graders = deliberation(settled), settled.graders
        else:
            self.rows = blank(drawn, grader, seed)
        done = [self._row(i).grade != "" for i in range(len(self.rows))]
        self.at = done.index(False) if False in done else 0
        self._writing = False
        self._shown = {"whole": False, "expected": show_expected}
        self._notes: dict[int, Any] = {}
        self._build()
        self._show("every answer here has its grade" if done and all(done) else "")

    # ---- state

    @property
    def row(self) -> Row:
        """The answer on display, with this grader's judgment as it was last read."""
        return self._row(self.at)

    def _row(self, at: int) -> Row:
        return self.saved.get(self.rows[at].key, replace(self.rows[at], note=""))

    def _read(self) -> None:
        rows = gradesheet.read(self.path) if self.path.exists() else []
        self.saved = {row.key: row for row in rows}

    def _save(self, at: int | None = None, **changes: Any) -> None:
        """Put a change on disk, and show what the disk then holds."""
        row = self.row if at is None else self._row(at)
        try:
            rows = gradesheet.record(self.path, replace(row, **changes), row)
            self.saved = {row.key: row for row in rows}
            self._show("saved", note="note" not in changes)
        except SheetChanged as error:
            self._reload(f"not saved: {error}", note="note" not in changes)
        except FindlibError as error:
            self._show(f"not saved: {error}", note="note" not in changes)

    def _reload(self, said: str = "", note: bool = True) -> None:
        try:
            self._read()
        except FindlibError as error:
            said = str(error)
        self._show(said, note)

    def act(self, action: str) -> None:
        """Do what a button or key says: one of the values of KEYS."""
        if not self.rows:
            return
        self._sink.focus()
        if action in GRADES:
            self._save(grade=action)
        elif action in ("helpful", "known"):
            self._save(**{action: not getattr(self.row, action)})
        elif action in ("next", "previous"):
            self._step(1 if action == "next" else -1)
        else:
            self._shown[action] = not self._shown[action]
            self._show("")

    def _step(self, by: int) -> None:
        self.at = min(max(self.at + by, 0), len(self.rows) - 1)
        self._writing = False
        self._reload()

    def key(self, event: Mapping[str, Any]) -> None:
        """A key or click over the box, as ipyevents tells it. A key does nothing with a
        modifier, nor while a note is being written; a held key only moves on."""
        if event.get("type") == "click":
            self._writing = False
            self._sink.focus()
            return
        action = KEYS.get(event.get("key", ""))
        held = event.get("repeat") and action not in ("next", "previous")
        if not action or held or any(event.get(f"{m}Key") for m in ("ctrl", "alt", "meta")):
            return
        if self._writing:
            self._show("keys are off while you write the note: click on this box to go on")
        else:
            self.act(action)

    # ---- what is on the screen

    def _build(self) -> None:
        import ipywidgets as w
        from ipyevents import Event

        self._head, self._passages, self._given, self._expected, self._status = (
            w.HTML() for _ in range(5)
        )
        self._bar = w.IntProgress(max=max(len(self.rows), 1), layout={"width": "100%"})
        # buttons only, no tick boxes: clicks and keys arrive in the order they were made in
        self._buttons = {action: w.Button(layout={"width": "auto"}) for action in LABELS}
        for action, button in self._buttons.items():
            button.on_click(lambda _, action=action: self.act(action))
        bars = [
            w.HBox([self._buttons[action] for action in actions],
                   layout={"flex_flow": "row wrap", "grid_gap": "4px 8px"})
            for actions in ((*GRADES, "helpful", "known"),
                            ("previous", "next", "whole", "expected"))
        ]  # fmt: skip
        # has the focus while this widget is used: with the pointer elsewhere, keys end here
        # and are not JupyterLab's, where a "1" or "r" would turn the cell into text
        self._sink = w.Text(layout={"width": "1px", "height": "1px"})
        self._sink.add_class("findlib-sink")
        self._sink.observe(lambda _: self._show(SINK), "value")
        bars[1].children = (*bars[1].children, self._sink)
        scrolled = w.Box([self._passages], layout={"max_height": "26em", "overflow": "auto"})
        legend = w.HTML(f'<span style="font-size:85%">{LEGEND}</span>')
        box = w.VBox([
            self._head, self._bar, scrolled, self._given, *bars, legend, self._expected,
        ])  # fmt: skip
        box.add_class("findlib-grading")
        self._keys = Event(source=box, watched_events=["keydown", "click"])
        self._keys.on_dom_event(self.key)
        self._note_place = w.Box()
        self.widget = w.VBox([w.HTML(STYLE), box, self._note_place, self._status])

    def _note(self) -> Any:
        """The note field of the answer on display: each answer has its own, so that what is
        typed last before moving on still reaches it."""
        import ipywidgets as w
        from ipyevents import Event

        if self.at not in self._notes:
            at = self.at
            field = w.Text(self.row.note, placeholder="note (optional)", layout={"width": "100%"})
            field.observe(lambda change: self._noted(at, change.new), "value")
            pointer = Event(source=field, watched_events=["mousedown"])
            pointer.on_dom_event(lambda _: setattr(self, "_writing", True))
            self._notes[at] = field
        return self._notes[self.at]

    def _noted(self, at: int, text: str) -> None:
        if text != self._row(at).note:
            self._writing = at == self.at
            self._save(at, note=text)

    def _show(self, said: str, note: bool = True) -> None:
        """Draw the answer on display as the sheet has it, and say a line below. A note that
        is being typed is left alone, saved or not."""
        self._status.value = f'<span role="status">{html.escape(said)}&nbsp;</span>'
        if not self.rows:
            self._head.value = (
                "<b>Nothing to grade: no answer in the sample, or no disagreement.</b>"
            )
            return
        row = self.row
        self._head.value = self._title()
        self._bar.value = sum(self._row(i).grade != "" for i in range(len(self.rows)))
        self._passages.value = self._answer()._repr_html_()
        self._given.value = self._others()
        expected = show.expected(self.documents[row.doc_id])
        self._expected.value = expected._repr_html_() if self._shown["expected"] else ""
        on = {**self._shown, "helpful": row.helpful, "known": row.known, row.grade: True}
        for action, button in self._buttons.items():
            button.description = ("✓ " if on.get(action) else "") + LABELS[action]
            button.button_style = COLOURS.get(action, "info") if on.get(action) else ""
        field = self._note()
        if note:
            field.value = row.note
        self._note_place.children = [field]

    def _title(self) -> str:
        row = self.row
        graded = sum(self._row(i).grade != "" for i in range(len(self.rows)))
        what = "deliberation of " + " and ".join(self.graders) if self.graders else self.grader
        return (
            f"<b>{self.at + 1} of {len(self.rows)}</b> · {graded} graded · "
            f"{html.escape(row.source)} · {html.escape(row.doc_id)}, answer {row.answer} of "
            f"{html.escape(row.model)} · {html.escape(what)}"
        )

    def _answer(self) -> show.Shown:
        row = self.row
        answer = Answer(json.loads(self.rows[self.at].evidence), row.description)
        title = "What the model says, and its evidence in the document"
        return show.answer(answer, self.documents[row.doc_id], title, self._shown["whole"])

    def _others(self) -> str:
        """In the deliberation pass, the two graders side by side."""
        if not self.graders:
            return ""
        rows = [self.saved[replace(self.row, grader=name).key] for name in self.graders]
        lines = {"": [row.grader for row in rows], "grade": [LABELS[row.grade] for row in rows],
                 "helpful": ["yes" if row.helpful else "no" for row in rows],
                 "known one": ["yes" if row.known else "no" for row in rows],
                 "note": [row.note for row in rows]}  # fmt: skip
        body = "".join(
            f"<tr><th>{name}</th>{''.join(f'<td>{html.escape(cell)}</td>' for cell in cells)}</tr>"
            for name, cells in lines.items()
        )
        return f"<table>{body}</table>"

    def _repr_mimebundle_(self, **_: Any) -> dict[str, Any]:
        """The widget; where there is no kernel, what it showed."""
        static = f"<div>{self._head.value}{self._passages.value}{self._given.value}</div>"
        plain = f"{len(self.rows)} answers to grade by {self.grader}"
        bundle = {**self.widget._repr_mimebundle_(), "text/html": static}
        return {**bundle, "text/plain": plain}
