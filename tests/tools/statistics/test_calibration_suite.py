"""The calibration suite itself: it can fail, and each of its claims still runs (full size: `make calibrate`)."""

import numpy as np
import pytest

from tests.calibration import calibrate, claims


@pytest.mark.parametrize(
    ("promise", "value", "kept"),
    [
        ("<= 0.05", 0.0505, True),
        ("<= 0.05", 0.06, False),
        ("<= 0.05", 0.0, True),
        ("= 0.95", 0.96, False),
        ("= 0.95", 0.94, False),
        ("= 0.95", 0.951, True),
        (">= 0.8", 0.79, True),
        (">= 0.8", 0.78, False),
        (">= 0.8", 1.0, True),
        ("", 0.5, True),
    ],
)
def test_a_promise_is_broken_beyond_four_monte_carlo_errors(promise, value, kept):
    assert claims.Measured("x", "y", 10_000, value, promise).kept is kept


def test_a_narrow_interval_is_caught(monkeypatch, capsys):
    """Someone swaps t for the normal quantile: coverage at n = 3 falls to 0.81."""
    monkeypatch.setattr(claims, "STUDIES", 4_000)
    monkeypatch.setattr(claims, "critical_t", lambda df, confidence: 1.96)
    monkeypatch.setattr(calibrate, "CLAIMS", [claims.coverage])
    assert calibrate.main([]) == 1
    assert "BROKEN" in capsys.readouterr().out


def test_every_claim_that_is_judged_at_once_is_kept_at_small_size(monkeypatch):
    monkeypatch.setattr(claims, "STUDIES", 2_000)
    quick = [claims.coverage, claims.family_error, claims.depends_at_no_effect]
    found = [one for claim in quick for one in claim(np.random.default_rng(5))]
    assert all(one.kept for one in found)
    assert len(found) == 60
