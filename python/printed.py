"""What the nodes print: the output of a flowline, in lines, with the node that has printed each."""

import codecs
import io
import sys
import threading


class Unfinished:
    """What a thread has printed of a line that has not ended."""

    def __init__(self, component):
        self.component = component
        self.pieces = []
        self.decode = codecs.getincrementaldecoder("utf-8")("replace").decode


class PrintedBytes(io.BufferedIOBase):
    """The bytes of a ``Printed``, for nodes and libraries that write bytes."""

    def __init__(self, printed):
        self._printed = printed

    def writable(self):
        return True

    def write(self, data):
        given = bytes(memoryview(data))
        self._printed.take(given)
        return len(given)

    def fileno(self):
        return self._printed.fileno()

    def close(self):
        """Nobody closes it: a wrapper that is forgotten would."""


class Printed(io.TextIOBase):
    """Stands in for standard output and error: what a node prints is the node's output."""

    encoding = "utf-8"
    errors = "replace"

    def __init__(self, channel, default):
        self._channel = channel
        self._default = default
        self._unfinished = {}
        self.buffer = PrintedBytes(self)

    def writable(self):
        return True

    def write(self, text):
        self._add(self._of_thread(), str(text))
        return len(text)

    def take(self, data):
        unfinished = self._of_thread()
        self._add(unfinished, unfinished.decode(data))

    def fileno(self):
        """What is written there has lines, too: the reader of this process takes them."""
        return 1

    def reconfigure(self, **_):
        pass

    def close(self):
        pass

    def finish(self):
        """Ends the line of this thread."""
        self._end(self._of_thread())

    def finish_all(self):
        for stream in (sys.stdout, sys.stderr):
            try:  # a node may have put a stream of its own there, which has a buffer
                stream.flush()
            except Exception:
                pass
        for unfinished in list(self._unfinished.values()):
            self._end(unfinished)

    def _of_thread(self):
        component = getattr(threading.current_thread(), "component", self._default)
        key = (threading.get_ident(), component)
        found = self._unfinished.get(key)
        if found is None:
            found = self._unfinished[key] = Unfinished(component)
        return found

    def _add(self, unfinished, text):
        lines, end, rest = text.rpartition("\n")
        if end:
            lines = "".join(unfinished.pieces) + lines
            unfinished.pieces = []
            self._channel.message("print", unfinished.component, lines.split("\n"))
        if rest:
            unfinished.pieces.append(rest)

    def _end(self, unfinished):
        self._add(unfinished, unfinished.decode(b"", True))
        if unfinished.pieces:
            self._add(unfinished, "\n")
