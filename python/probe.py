"""Tries out an isolation: what Python nodes import can be imported, and the temporary folder can be written."""

import decimal  # noqa: F401
import json
import os
import random  # noqa: F401
import tempfile
import zoneinfo  # noqa: F401

with tempfile.TemporaryFile(dir=".") as file:
    file.write(b"written")
with open(os.devnull, "r+b") as file:
    file.write(b"written")
with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "run.py"), "rb") as file:
    file.read()
print(json.dumps({"user": os.getuid()}))
