"""Runs the Python nodes of one flowline: rows come in on standard input, what happens goes out on file descriptor 3.

Both ways are lines of JSON. The first line in says which nodes there are; the others are ``["rows", component, rows]``
and ``["end", component]``. Lines out: ``["rows", component, rows]``, ``["errors", component, [[row, reason], …]]``,
``["print", component, lines]``, ``["counters", {component: [in, out, errors]}]``,
``["ended", component, microseconds of processor time]`` and ``["failed", component, text]``.
"""

import copy
import inspect
import json
import os
import queue
import sys
import threading
import time
import traceback

HERE = os.path.dirname(os.path.abspath(__file__))
# In isolated mode the folder of the program is not looked in.
sys.path.insert(0, HERE)

import flow  # noqa: E402
import rows as text_of  # noqa: E402
from modules import Modules  # noqa: E402
from printed import Printed  # noqa: E402

sys.path.remove(HERE)
# Files of the tenant may have these names.
for name in ("modules", "printed", "rows", "scan"):
    del sys.modules[name]

BATCHES_WAITING = 4
MAX_ROWS = 1000
BATCH_BYTES = 256 * 1024
COUNTER_SECONDS = 0.5
MAX_FRAMES = 20


class Channel:
    """The way out. Messages of different threads do not mix; a slow reader holds the writers back."""

    def __init__(self, fd):
        self._file = os.fdopen(fd, "wb")
        self._lock = threading.Lock()

    def send(self, text):
        with self._lock:
            self._file.write(text.encode("ascii"))
            self._file.write(b"\n")
            self._file.flush()

    def message(self, *parts):
        self.send(json.dumps(parts, separators=(",", ":")))


def settings_of(node):
    """The names of a node's settings, those of its base classes first."""
    names = {}
    for base in reversed(type(node).__mro__):
        try:
            get = getattr(inspect, "get_annotations", None)
            found = get(base) if get else base.__dict__.get("__annotations__", {})
        except NameError:  # an annotation that names what is there for type checkers only
            continue
        for name, annotation in found.items():
            if not name.startswith("_") and name != "type" and "ClassVar" not in str(annotation):
                names[name] = None
    return list(names)


def explain(error):
    """The error with its traceback, without the frames of this program and without folders of this machine."""
    parts = []
    seen = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        kind = type(error).__name__
        try:
            said = str(error).strip()
        except BaseException:  # of the node's own making
            said = ""
        lines = [f"{kind}: {said}" if said else kind]
        if isinstance(error, SyntaxError) and error.filename and not error.filename.startswith("<"):
            lines = [f"{kind}: {error.msg}", f"  {os.path.basename(error.filename)}, line {error.lineno}"]
        for frame in reversed(traceback.extract_tb(error.__traceback__)):
            if frame.filename.startswith(HERE) or "importlib" in frame.filename:
                continue
            place = frame.filename
            if os.path.isabs(place):
                place = "/".join(place.split(os.sep)[-2:])
            lines.append(f"  {place}, line {frame.lineno}, in {frame.name}")
            if frame.line:
                lines.append(f"    {frame.line}")
            if len(lines) > 2 * MAX_FRAMES:
                break
        parts.append("\n".join(lines))
        error = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    return "\nafter ".join(parts)


class Station:
    """One node with its queue, its thread and those that take its rows."""

    def __init__(self, order, channel):
        self.component = order["component"]
        self.type = order["type"]
        self.settings = order["settings"]
        # Whether nodes outside of this process take its rows.
        self.is_asked = order["asked"]
        self.queue = queue.Queue(BATCHES_WAITING)
        self.receivers = []
        self.rejects = []
        self.senders = order["senders"]
        self.records_in = 0
        self.records_out = 0
        self.records_failed = 0
        self._channel = channel
        self._waiting = []
        self._size = 100

    def prepare(self, modules):
        self.node = modules.node(self.type)()
        declared = settings_of(self.node)
        for name, value in self.settings.items():
            if name not in declared:
                raise TypeError(f"the node has no setting {name}")
            setattr(self.node, name, value)
        for name in declared:
            if not hasattr(self.node, name):
                raise TypeError(f"the setting {name} is missing")
        self.node._reject = self._reject

    def _reject(self, row, reason):
        self.records_failed += 1
        failed = {**row, "error": {"node": self.component, "reason": reason}}
        for at, receiver in enumerate(self.rejects):
            receiver.queue.put([failed if at == len(self.rejects) - 1 else copy.deepcopy(failed)])
        self._channel.send(f'["errors",{json.dumps(self.component)},[[{text_of.dumps([dict(row)])[1:-1]},{json.dumps(reason)}]]]')

    def rows(self):
        open_senders = self.senders
        while open_senders > 0:
            batch = self.queue.get()
            if batch is None:
                open_senders -= 1
                continue
            self.records_in += len(batch)
            yield from batch

    def _send(self):
        batch = self._waiting
        if not batch:
            return
        self._waiting = []
        self.records_out += len(batch)
        if self.is_asked:
            text = text_of.dumps(batch)
            self._size = max(1, min(MAX_ROWS, BATCH_BYTES * len(batch) // max(1, len(text))))
            self._channel.send(f'["rows",{json.dumps(self.component)},{text}]')
        else:
            self._size = MAX_ROWS
        for at, receiver in enumerate(self.receivers):
            # A node may change the rows that it gets.
            receiver.queue.put(batch if at == len(self.receivers) - 1 else copy.deepcopy(batch))

    def work(self):
        rows = self.rows()
        for row in self.node.execute(rows) or ():
            if not isinstance(row, dict):
                raise TypeError(f"execute gave a {type(row).__name__} where a row, which is a dict, is expected")
            self._waiting.append(row)
            if len(self._waiting) >= self._size:
                self._send()
        self._send()
        # What the node did not want to see: who sends it must not wait for ever.
        for _ in rows:
            pass


class Run:
    def __init__(self, order, channel, printed):
        self._channel = channel
        self._printed = printed
        self.stations = {node["component"]: Station(node, channel) for node in order["nodes"]}
        for sender, stream, receiver in order["edges"]:
            it = self.stations[sender]
            (it.rejects if stream == "errors" else it.receivers).append(self.stations[receiver])
        self._modules = Modules(order["files"])
        sys.meta_path.append(self._modules)
        self._stop = threading.Event()
        self._counting = threading.Lock()

    def counters(self):
        # Under a lock, so that no thread sends numbers that are older than those already sent.
        with self._counting:
            self._channel.message(
                "counters",
                {it.component: [it.records_in, it.records_out, it.records_failed] for it in self.stations.values()},
            )

    def _count(self):
        while not self._stop.wait(COUNTER_SECONDS):
            self.counters()

    def _guard(self, station, step):
        try:
            step()
            return True
        except BaseException as error:  # also SystemExit: a node that leaves has failed
            # Before the failure is reported, because the reader then ends this process.
            self._printed.finish_all()
            self._channel.message("failed", station.component, explain(error))
            return False

    def _thread(self, station):
        threading.current_thread().component = station.component
        done = self._guard(station, station.work)
        self._printed.finish()
        if not done:
            return
        for receiver in station.receivers + station.rejects:
            receiver.queue.put(None)
        self.counters()
        self._channel.message("ended", station.component, int(time.thread_time() * 1e6))

    def start(self):
        for station in self.stations.values():
            threading.current_thread().component = station.component
            if not self._guard(station, lambda: station.prepare(self._modules)):
                return False
        threading.Thread(target=self._count, daemon=True).start()
        for station in self.stations.values():
            threading.Thread(target=self._thread, args=(station,), daemon=True).start()
        return True


def main():
    # A node may read standard input or start programs: neither may come between the messages.
    source = os.fdopen(os.dup(0), "rb")
    channel = Channel(os.dup(3))
    os.close(3)
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, 0)
    order = json.loads(source.readline())
    printed = Printed(channel, order["nodes"][0]["component"])
    sys.stdout = sys.stderr = sys.__stdout__ = sys.__stderr__ = printed
    run = Run(order, channel, printed)
    if not run.start():
        # The reader ends this process; until then it may still be writing.
        for _ in source:
            pass
        os._exit(1)
    for line in source:
        message = json.loads(line)
        run.stations[message[1]].queue.put(message[2] if message[0] == "rows" else None)
    printed.finish_all()
    os._exit(0)


if __name__ == "__main__":
    main()
