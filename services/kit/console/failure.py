"""How a command fails on purpose."""


class Failure(Exception):
    """The command cannot do what was asked; the message is one line with what to do."""
