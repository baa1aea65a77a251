"""Agreement of two raters."""

import math

import pytest
from sklearn.metrics import cohen_kappa_score

from findlib.agreement import agreement

FIRST = [1, 1, 0, 1, 0, 0, 1, 1, 0, 1]
SECOND = [1, 0, 0, 1, 0, 1, 1, 1, 0, 1]


def test_kappa_as_another_implementation_has_it():
    """scikit-learn computes the same kappa; by hand: (.8 - .52) / (1 - .52)."""
    found = agreement(FIRST, SECOND, [0, 1])
    assert found.kappa == pytest.approx(cohen_kappa_score(FIRST, SECOND))
    assert found.kappa == pytest.approx((0.8 - 0.52) / (1 - 0.52))
    assert (found.n, found.agreed) == (10, 8)
    assert found.low < found.kappa < found.high <= 1
    assert found.table.to_numpy().tolist() == [[3, 1], [1, 5]]


def test_missing_labels_are_left_out_and_one_label_is_no_agreement():
    found = agreement([1, None, float("nan"), "", 1], [1, 1, 1, 1, 1], [0, 1])
    assert found.n == 2
    assert math.isnan(found.kappa)
    assert math.isnan(found.low)
    assert math.isnan(found.high)
    assert math.isnan(agreement([], [], [0, 1]).kappa)
    with pytest.raises(ValueError, match="2 items"):
        agreement([1, 1], [1], [0, 1])
    with pytest.raises(ValueError, match="maybe"):
        agreement(["maybe"], ["yes"], ["yes", "no"])
