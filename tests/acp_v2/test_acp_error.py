"""Exceptions and JSON-RPC error objects."""

import pytest

from acp_v2 import AcpError, AuthRequired, ErrorCode, InvalidParams, RequestCancelled


def test_an_exception_becomes_an_error_object():
    assert InvalidParams("No.", {"pointer": "/params"}).to_wire() == {
        "code": -32602,
        "message": "No.",
        "data": {"pointer": "/params"},
    }


def test_the_message_is_the_code_s_title_unless_another_is_given():
    assert RequestCancelled().to_wire() == {"code": -32800, "message": "Request cancelled"}


@pytest.mark.parametrize("code", list(ErrorCode))
def test_every_code_has_its_exception(code: ErrorCode):
    error = AcpError.from_wire({"code": int(code), "message": "m"})

    assert type(error) is not AcpError
    assert error.code == code
    assert error.to_wire() == {"code": int(code), "message": "m"}


def test_another_code_is_kept():
    error = AcpError.from_wire({"code": -32050, "message": "m", "data": [1]})

    assert type(error) is AcpError
    assert error.to_wire() == {"code": -32050, "message": "m", "data": [1]}


def test_an_integral_float_is_a_code():
    assert isinstance(AcpError.from_wire({"code": -32000.0, "message": "m"}), AuthRequired)


@pytest.mark.parametrize(
    "value",
    [
        None,
        [],
        {},
        {"code": 1},
        {"code": "1", "message": "m"},
        {"code": True, "message": "m"},
        {"code": 1, "message": 5},
    ],
)
def test_what_is_no_error_object_is_refused(value: object):
    with pytest.raises(ValueError, match="integer code and a message"):
        AcpError.from_wire(value)


def test_it_can_be_raised_and_says_what_it_is():
    with pytest.raises(AcpError, match=r"Invalid params \(-32602\)"):
        raise InvalidParams


def test_a_subclass_of_an_application_takes_nothing_over_and_may_have_a_constructor_of_its_own():
    class Mine(InvalidParams, code=-32602):
        pass

    class OtherError(AcpError, code=-29):
        def __init__(self, who: str) -> None:
            super().__init__(f"It was {who}")

    assert type(AcpError.from_wire({"code": -32602, "message": "x"})) is InvalidParams
    found = AcpError.from_wire({"code": -29, "message": "x", "data": 1})
    assert type(found) is OtherError
    assert (found.code, found.message, found.data) == (-29, "x", 1)
