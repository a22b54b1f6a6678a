"""Operators' commands: one module for each, with `add_arguments(parser)` and `run(args, settings)`."""
