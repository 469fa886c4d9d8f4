"""What the nodes of Python batch flowlines are made of: ``from flow import Node``."""

__all__ = ["Node"]


class Node:
    """A node of a Python batch flowline.

    A subclass is a node of its own. Its docstring is the description, its annotated attributes are the settings (one
    with a value is optional), and ``type`` is the name that flowlines use: without it, the class's name in snake_case.

    ``execute`` gets an iterator over the rows of a partition, which are dicts, and returns or yields the rows that go
    on. It is called once for each partition and keeps nothing between two of them.
    """

    def execute(self, rows):
        raise NotImplementedError("execute is not defined")

    def reject(self, row, reason):
        """Sends a row that cannot be processed to the node's ``errors`` stream, with the reason."""
        self._reject(row, str(reason))

    def _reject(self, row, reason):
        raise RuntimeError("a node can reject rows only while it runs in a flowline")
