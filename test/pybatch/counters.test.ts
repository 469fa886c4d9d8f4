import { execFile } from "node:child_process"
import { promisify } from "node:util"
import { describe, expect, it } from "@effect/vitest"
import { packagePath } from "../../src/drivers/Package.ts"
import { findPython, pythonOptions } from "../../src/drivers/python/Interpreter.ts"
import { hasPython } from "./support.ts"

// The thread that sends the counters now and then is held after it has read them; a node's thread sends its last ones.
const program = `
import sys, threading
sys.path.insert(0, sys.argv[1])
from run import Run

class Node:
    component, records_in, records_out, records_failed = "a", 1, 1, 0

class Channel:
    sent, last = [], None
    def message(self, kind, what):
        if self.last is None:
            node.records_in = 2
            self.last = threading.Thread(target=run.counters)
            self.last.start()
            self.last.join(0.5)
        self.sent.append(what["a"][0])

node, channel = Node(), Channel()
run = object.__new__(Run)
run.__dict__.update(_channel=channel, stations={"a": node})
run._counting = threading.Lock()
run.counters()
channel.last.join()
print(channel.sent)
`

describe.skipIf(!hasPython)("counters of Python nodes", () => {
  it("are never followed by older ones", async () => {
    const python = await findPython()
    const { stdout } = await promisify(execFile)(python?.command ?? "", [
      ...pythonOptions,
      "-c",
      program,
      packagePath("python")
    ])
    expect(stdout.trim()).toBe("[1, 2]")
  })
})
