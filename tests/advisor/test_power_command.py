"""`advisor power` at the terminal: words, JSON, and one line for what cannot be."""

import json
import subprocess
import sys

import pytest


def run(*words):
    return subprocess.run(
        [sys.executable, "-m", "advisor.cli.main", "power", *words], capture_output=True, text=True, timeout=60
    )


def test_a_curve_is_shown_and_its_json_has_the_same_numbers():
    words = ("--model", "Qwen2.5-0.5B-Instruct", "--seeds", "8,3-5", "--hours-per-run", "16")
    shown, found = run(*words), json.loads(run(*words, "--json").stdout)
    assert shown.returncode == 0
    assert "GPU-hours" in shown.stdout
    assert [point["n"] for point in found["curve"]] == [3, 4, 5, 8]
    assert (found["schema_version"], found["power"]["n"], found["price"]["device_hours_per_run"]) == (1, 8, 16.0)
    assert f"{found['curve'][3]['detectable_effect']:.2f}" in shown.stdout


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (("--sd", "x"), 2, "--sd 'x' is no number of points; write 1.37, or SUMMARY=1.37"),
        (("--sd", "1", "--sd", "2"), 2, "--sd gives every summary twice"),
        (("--seeds", "3-"), 2, "--seeds '3-' cannot be read"),
        (("--treatments", "0"), 2, "treatments"),
        (("--confidence", "2"), 2, "confidence"),
        (("--sesoi", "nan"), 2, "sesoi"),
        (("--budget", "1min"), 4, "does not pay for one run of each of 2 arms"),
    ],
)
def test_what_cannot_be_is_one_line(words, code, said):
    done = run(*words)
    assert done.returncode == code
    assert said in done.stderr
    assert done.stderr.count("\n") == 1
    assert done.stdout == ""
