"""The printed numbers of FindTheFlaws (from its outline), recomputed."""

from __future__ import annotations

import pandas as pd

from .. import published
from .consistency import adds_up, counts, fits, interval
from .verdict import CONSISTENT, READING, UNDERIVABLE, Claim, holds, judge, listed, worst

OPTIONS = 5  # answers to choose from in MedQA, a fact of that data set and not printed here
CLASSES = 2  # a right and a wrong one


def claims(flaws: pd.DataFrame) -> list[Claim]:
    """Every claim of FindTheFlaws' outline that other numbers of it bear on."""
    made = (_questions, _key_agreement, _key_test, _clinicians, _kappas, _validators, _annotators,
            _surgery, _surgery_twice, _inferior, _outside, _fleiss, _sentences, _implied, _judges,
            _baselines)  # fmt: skip
    return [claim(flaws) for claim in made]


def _share(flaws: pd.DataFrame, name: str, n: str | int) -> tuple[str, list[int], int]:
    total = int(published.said(n, flaws)) if isinstance(n, str) else n
    text = published.said(name, flaws)
    return text, counts(text, total), total


def _whole(found: list[tuple[str, list[int], int]]) -> str:
    return listed(f"{k}/{n}" for _, k, n in found)


def _questions(flaws: pd.DataFrame) -> Claim:
    total = published.said("Adversarial MedQA questions", flaws)
    kinds = (("reliable questions", "unreliable questions"), ("GPT-4 errors", "GPT-4 correct"))
    pairs = [[published.said(name, flaws) for name in pair] for pair in kinds]
    return Claim("F1", "§4.1.2", "reliable and unreliable, errors and correct answers are all",
                 "sums", total, listed(" + ".join(p) for p in pairs),
                 holds(all(adds_up(p, total) for p in pairs)))  # fmt: skip


def _key_counts(flaws: pd.DataFrame) -> list[tuple[str, list[int], int]]:
    final = int(published.said("final questions", flaws))
    first = int(published.said("Adversarial MedQA questions", flaws)) - final
    return [_share(flaws, "key agreement, final questions", final),
            _share(flaws, "key agreement, first questions", first)]  # fmt: skip


def _key_agreement(flaws: pd.DataFrame) -> Claim:
    found = _key_counts(flaws)
    return Claim("F2", "§4.1.2", "agreement with the key on the final and the first questions",
                 "k / n; first = all - final", listed(text for text, _, _ in found), _whole(found),
                 holds(all(len(k) == 1 for _, k, _ in found)))  # fmt: skip


def _key_test(flaws: pd.DataFrame) -> Claim:
    from scipy.stats import chi2_contingency, fisher_exact

    text, found = published.said("p of the difference", flaws), _key_counts(flaws)
    if not all(len(k) == 1 for _, k, _ in found):
        return Claim("F2p", "§4.1.2", "p of that difference", "Fisher exact test", text,
                     "no whole numbers", holds(False))  # fmt: skip
    table = [[k[0], n - k[0]] for _, k, n in found]
    fisher = float(fisher_exact(table).pvalue)
    plain, corrected = (float(chi2_contingency(table, correction=c).pvalue) for c in (False, True))
    return Claim("F2p", "§4.1.2", "p of that difference", "two-sided Fisher exact test", text,
                 f"{fisher:.4f} (chi-squared {plain:.4f}, with Yates' correction {corrected:.4f})",
                 judge(text, fisher))  # fmt: skip


def _clinicians(flaws: pd.DataFrame) -> Claim:
    found = [_share(flaws, "clinician agreement", "Adversarial MedQA questions"),
             _share(flaws, "clinician agreement, reliable", "reliable questions")]  # fmt: skip
    return Claim("F3", "§B.1.2", "clinicians agree, on all and on reliable questions", "k / n",
                 listed(text for text, _, _ in found), _whole(found),
                 holds(all(len(k) == 1 for _, k, _ in found)))  # fmt: skip


def _chance(flaws: pd.DataFrame, agreement: str, kappa: str) -> tuple[float, float]:
    """Chance agreement that agreement and kappa imply, over the rounding of both."""
    share = [end / 100 for end in interval(published.said(agreement, flaws))]
    ends = [(po - k) / (1 - k) for po in share for k in interval(published.said(kappa, flaws))]
    return min(ends), max(ends)


def _kappas(flaws: pd.DataFrame) -> Claim:
    names = ("clinician {}", "clinician {}, reliable", "validator {}, reliable")
    chance = [_chance(flaws, n.format("agreement"), n.format("kappa")) for n in names]
    said = [published.said(n.format("kappa"), flaws) for n in names]
    near = all(fits(f"{1 / OPTIONS:.1f}", low, high) for low, high in chance)
    return Claim("F3k", "§B.1.2", "kappas of clinicians and validators",
                 f"chance = (agreement - kappa) / (1 - kappa), about 1/{OPTIONS} of the options",
                 listed(said), listed(f"chance {low:.3f} to {high:.3f}" for low, high in chance)
                 + "; kappas are not derivable without the margins",
                 holds(near, so=CONSISTENT))  # fmt: skip


def _validators(flaws: pd.DataFrame) -> Claim:
    found = [_share(flaws, "validator agreement, reliable", "reliable questions")]
    return Claim("F4", "§B.1.2", "validators agree on reliable questions", "k / n", found[0][0],
                 _whole(found), holds(len(found[0][1]) == 1))  # fmt: skip


def _annotators(flaws: pd.DataFrame) -> Claim:
    found = [_share(flaws, "annotator agreement", "Python650 questions")]
    text = published.said("annotator kappa", flaws)
    chance = 1 / CLASSES
    kappa = [(k / n - chance) / (1 - chance) for _, ks, n in found for k in ks]
    good = len(kappa) == 1 and fits(text, kappa[0])
    return Claim("F5", "§B.1.1", "agreement and kappa of the annotators",
                 f"k / n; kappa with a chance agreement of 1/{CLASSES}",
                 f"{found[0][0]}; {text}", f"{_whole(found)}; {listed(f'{k:.4f}' for k in kappa)}",
                 holds(good, so=CONSISTENT))  # fmt: skip


def _surgery(flaws: pd.DataFrame) -> Claim:
    agreed, every = (int(published.said(n, flaws)) for n in
                     ("agreed Surgery sentences", "Surgery sentences"))  # fmt: skip
    text = published.said("agreement, counted Surgery sentences", flaws)
    found = [_share(flaws, "validators with agreed sentences", agreed)]
    share = 100 * agreed / every
    return Claim("F6", "§B.1", "reviewers agree on Surgery sentences; validators with them",
                 "agreed / all; k / agreed", f"{text}; {found[0][0]}",
                 f"{agreed}/{every} = {share:.2f}; {_whole(found)}",
                 worst((judge(text, share), holds(len(found[0][1]) == 1))))  # fmt: skip


def _surgery_twice(flaws: pd.DataFrame) -> Claim:
    one, other = (published.said(n, flaws) for n in
                  ("agreement, Surgery", "agreement, counted Surgery sentences"))  # fmt: skip
    first, total = (published.said(n, flaws) for n in ("first Surgery arguments",
                                                       "Surgery sentences"))  # fmt: skip
    return Claim("F6.twice", "§B.1", "reviewer agreement on Surgery sentences", "the same twice",
                 one, other, holds(one == other, READING),
                 "" if one == other else
                 f"{one}% and {other}% both of Surgery sentences: the second must be of the "
                 f"{total} sentences of the first {first} arguments only.")  # fmt: skip


def _inferior(flaws: pd.DataFrame) -> Claim:
    total, *parts = (published.said(f"inferior{kind} questions", flaws) for kind in
                     ("", " medical", " Lojban"))  # fmt: skip
    return Claim("F7", "§4.1.3", "questions flagged as inferior", "sum", total, " + ".join(parts),
                 holds(adds_up(parts, total)))  # fmt: skip


def _outside(flaws: pd.DataFrame) -> Claim:
    said = [published.said(n, flaws) for n in
            ("GPQA Diamond Plus questions", "unreliable GPQA questions")]  # fmt: skip
    return Claim("F8", "§4.1.4", "questions kept and unreliable ones", "size of GPQA Diamond",
                 listed(said), "the size of GPQA Diamond is not printed", UNDERIVABLE)  # fmt: skip


def _fleiss(flaws: pd.DataFrame) -> Claim:
    pairs = [float(published.said(f"pairwise kappa {i + 1}, Law", flaws)) for i in range(3)]
    text, mean = published.said("Fleiss kappa, Law", flaws), sum(pairs) / len(pairs)
    near = min(pairs) <= float(text) <= max(pairs)
    return Claim("F9", "§B.1", "Fleiss' kappa beside the pairwise ones", "between them",
                 text, f"mean {mean:.4f}, {min(pairs)} to {max(pairs)}",
                 holds(near, so=CONSISTENT))  # fmt: skip


def _sentences(flaws: pd.DataFrame) -> Claim:
    names = [f"agreement, {kind}" for kind in ("Lojban", "Surgery", "Law")]
    return Claim("F10", "§B.1", "reviewer agreement by sentence", "needs the sentences' numbers",
                 listed(published.said(n, flaws) for n in names), "not printed",
                 UNDERIVABLE)  # fmt: skip


def _implied(flaws: pd.DataFrame) -> Claim:
    """Reliable: at least one clinician has the key; then those who agree there have it both."""
    every, reliable, bad = (int(published.said(f"{n} questions", flaws)) for n in
                            ("Adversarial MedQA", "reliable", "unreliable"))  # fmt: skip
    reliably = _share(flaws, "clinician agreement, reliable", reliable)
    shares = [_share(flaws, "clinician agreement", every), reliably, *_key_counts(flaws)]
    if not all(len(k) == 1 for _, k, _ in shares):
        return Claim("F3.sets", "§4.1.2, §B.1.2", "the clinicians' agreements are possible",
                     "whole numbers", f"{len(shares)} values", "no whole numbers",
                     holds(False))  # fmt: skip
    agree, both, final, first = (k[0] for _, k, _ in shares)
    one = final + first
    other = reliable - one + both
    possible = both <= one <= reliable and agree - both <= bad and both <= other
    return Claim("F3.sets", "§4.1.2, §B.1.2", "the clinicians' agreements are possible together",
                 "|A or B| = |A| + |B| - |A and B| on reliable questions", f"{len(shares)} values",
                 f"first clinician has the key {one} times, both {both}, so the second {other}; "
                 f"on the {bad} unreliable they agree {agree - both} times",
                 holds(possible, so=CONSISTENT))  # fmt: skip


def _same_name(flaws: pd.DataFrame, key: str, what: str, name: str) -> Claim:
    one, other = (published.said(f"{name}, {which}", flaws) for which in ("first", "second"))
    cells = published.table(published.TEXT, flaws)
    places = listed(cells[cells.row.str.startswith(name)].part)
    return Claim(key, places, what, "the same twice", one, other, holds(one == other, READING),
                 "" if one == other else
                 f"{one} and {other} (of the outline, not seen in the paper itself).")  # fmt: skip


def _judges(flaws: pd.DataFrame) -> Claim:
    return _same_name(flaws, "F.judge", "model that compares error explanations",
                      "model that grades errors")  # fmt: skip


def _baselines(flaws: pd.DataFrame) -> Claim:
    return _same_name(flaws, "F.baseline", "model behind the first-error baseline",
                      "model behind the first-error baseline")  # fmt: skip
