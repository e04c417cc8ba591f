"""The base of the protocol's exceptions: between Python and JSON-RPC error objects."""

from __future__ import annotations

from typing import Any, ClassVar, cast


class AcpError(Exception):
    """A request failed, or is to be answered with an error.

    Attributes:
        code: the JSON-RPC error code.
        message: one short sentence.
        data: any JSON value with more, or None for none.
    """

    code: int = -32603
    title: ClassVar[str] = "Error"
    _by_code: ClassVar[dict[int, type[AcpError]]] = {}

    def __init_subclass__(cls, *, code: int | None = None, title: str | None = None) -> None:
        """Make a subclass the exception of a code."""
        super().__init_subclass__()
        if code is not None:
            cls.code = code
            cls.title = title or cls.__name__
            # The first has it, so that a subclass of an application does not take the place of the protocol's.
            AcpError._by_code.setdefault(code, cls)

    def __init__(self, message: str | None = None, data: Any = None, *, code: int | None = None) -> None:
        """Build an error; a subclass brings its code and a message."""
        self.message = self.title if message is None else message
        self.data = data
        if code is not None:
            self.code = code
        super().__init__(self.message)

    def __str__(self) -> str:
        return f"{self.message} ({self.code})"

    def to_wire(self) -> dict[str, Any]:
        """The JSON-RPC error object; `data` is left out where it is None."""
        error: dict[str, Any] = {"code": self.code, "message": self.message}
        return error if self.data is None else {**error, "data": self.data}

    @classmethod
    def from_wire(cls, error: Any) -> AcpError:
        """The exception of a JSON-RPC error object: of the class of its code, or an `AcpError` with a code of its own.

        Raises:
            ValueError: it is no error object.
        """
        fields = cast("dict[str, Any]", error) if isinstance(error, dict) else {}
        code, message = fields.get("code"), fields.get("message")
        if isinstance(code, float) and code.is_integer():
            code = int(code)
        if not isinstance(code, int) or isinstance(code, bool) or not isinstance(message, str):
            raise ValueError("an error object has an integer code and a message")  # noqa: TRY004  # as documented
        kind = AcpError._by_code.get(code, AcpError)
        # Past the constructor of the class, which may take other arguments.
        found = kind.__new__(kind)
        AcpError.__init__(found, message, fields.get("data"), code=code)
        return found
