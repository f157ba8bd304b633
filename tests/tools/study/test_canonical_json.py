"""The bytes under plan hashes and run keys, held by value; the cases are those of RFC 8785, 3.2.2 and 3.2.3."""

import hashlib

import pytest
import rfc8785

from tools.plan.plan_hash import document_hash

DOCUMENT = {
    "\u20ac": "Euro sign",
    "\r": "carriage return",
    "\ufb33": "dalet, after the smile: keys are sorted by UTF-16 code unit",
    "1": "one",
    "\U0001f600": "smile",
    "\u0080": "control",
    "\u00f6": "o with diaeresis",
    "numbers": [333333333.33333329, 1e30, 4.5, 2e-3, 1e-27, -0.0, 0.1 + 0.2, 5e-324, 1e21, 1e20, 100.0, 2**53 - 1],
    "string": '\u20ac$\u000f\nA\'B"\\\\"/',
    "literals": [None, True, False],
    "nested": {"b": {"y": 1, "x": []}, "a": {}},
}
CANONICAL = (
    r'{"\r":"carriage return","1":"one","literals":[null,true,false],"nested":{"a":{},"b":{"x":[],"y":1}},'
    r'"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27,0,0.30000000000000004,5e-324,1e+21,100000000000000000000,100,'
    r'9007199254740991],"string":"€$\u000f\nA' + "'" + r'B\"\\\\\"/",'
    '"\u0080":"control","ö":"o with diaeresis","€":"Euro sign","😀":"smile",'
    '"\ufb33":"dalet, after the smile: keys are sorted by UTF-16 code unit"}'
)  # fmt: skip
SHA256 = "9dfb6fde153c4ae94673c66fc5640bdb367255c15685415b3883b131b6eb244b"


def test_a_tricky_document_has_the_bytes_and_the_hash_that_it_always_had() -> None:
    assert rfc8785.dumps(DOCUMENT) == CANONICAL.encode()
    assert document_hash(DOCUMENT) == hashlib.sha256(CANONICAL.encode()).hexdigest() == SHA256


def test_the_order_of_keys_in_memory_makes_no_difference() -> None:
    assert rfc8785.dumps(dict(reversed(DOCUMENT.items()))) == CANONICAL.encode()


@pytest.mark.parametrize("value", [float("nan"), float("inf"), 2**53])
def test_what_has_no_canonical_form_is_refused(value: float) -> None:
    with pytest.raises(rfc8785.CanonicalizationError):
        rfc8785.dumps({"x": value})
