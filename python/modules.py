"""The tenant's files of nodes, as modules."""

import importlib
import importlib.abc
import importlib.util
import linecache
import re

import flow
from scan import scan, type_of


class Modules(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Makes the tenant's files importable, so that they can import one another by name. ``files``: names and texts."""

    def __init__(self, files):
        self._files = {}
        self._hidden = {}
        for name, text in files:
            stem = name.rsplit("/", 1)[-1]
            # Names of artifacts may contain dots, which Python would take for packages.
            module = stem[:-3] if stem.endswith(".py") else re.sub(r"\W", "_", stem)
            self._files.setdefault(module, (name, text))
            linecache.cache[name] = (len(text), None, text.splitlines(True), name)

    def find_spec(self, name, path=None, target=None):
        if name not in self._files:
            return None
        return importlib.util.spec_from_loader(name, self, origin=self._files[name][0])

    def create_module(self, spec):
        return None

    def load(self, name):
        """The module of a file, even if Python has a module of that name, which ``import`` would return instead."""
        try:
            is_own = importlib.util.find_spec(name).loader is self
        except ValueError:  # what runs as a program has a name, but no spec
            is_own = False
        if is_own:
            return importlib.import_module(name)
        if name not in self._hidden:
            module = importlib.util.module_from_spec(self.find_spec(name))
            self.exec_module(module)
            self._hidden[name] = module
        return self._hidden[name]

    def exec_module(self, module):
        name, text = self._files[module.__name__]
        module.__file__ = name
        exec(compile(text, name, "exec", dont_inherit=True), module.__dict__)

    def node(self, wanted):
        """The class of a node, from the first file that defines it."""
        for module, (_, text) in self._files.items():
            if any(found["type"] == wanted for found in scan(text).get("nodes", [])):
                return node_class(self.load(module), wanted)
        broken = [f"{name} cannot be read ({found['error']['message']}, line {found['error'].get('line', 1)})"
                  for name, text in self._files.values() for found in [scan(text)] if "error" in found]
        raise ImportError("; ".join([f"there is no Python node {wanted}", *broken]))


def node_class(module, wanted):
    for value in vars(module).values():
        if isinstance(value, type) and issubclass(value, flow.Node) and value.__module__ == module.__name__:
            if getattr(value, "type", None) == wanted or type_of(value.__name__) == wanted:
                return value
    raise ImportError(f"there is no node {wanted} in it any more")
