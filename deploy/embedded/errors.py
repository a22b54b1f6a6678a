"""The one error of the embedded stack."""


class StackError(Exception):
    """The stack cannot run; the message is one line: what happened and what to do."""
