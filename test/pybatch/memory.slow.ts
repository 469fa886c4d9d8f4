import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { ended } from "../engine/support.ts"
import { chain, hasPython, run } from "./support.ts"

/** Nodes that use more memory than the run may, outside of their process's pages, and wait for the run's end. */
const greedy = `
import mmap, subprocess, sys
from flow import Node

PIECE = 2 * 1024 * 1024

class InProgram(Node):
    def execute(self, rows):
        program = "x = [b'x' * 2**20 for _ in range(600)]; input()"
        with subprocess.Popen([sys.executable, "-c", program], stdin=subprocess.PIPE) as it:
            it.wait()
        yield from rows

class InThread(Node):
    def execute(self, rows):
        program = """if True:
            import ctypes, os, threading

            def hold():
                while open(f"/proc/self/task/{os.getpid()}/stat").read().rpartition(")")[2].split()[0] != "Z":
                    pass
                x = [b'x' * 2**20 for _ in range(600)]
                input()

            threading.Thread(target=hold).start()
            ctypes.CDLL(None).syscall(93 if os.uname().machine == "aarch64" else 60, 0)
        """
        with subprocess.Popen([sys.executable, "-c", program], stdin=subprocess.PIPE) as it:
            it.wait()
        yield from rows

class InTables(Node):
    def execute(self, rows):
        flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | 0x4000
        with mmap.mmap(-1, 160_000 * PIECE, flags=flags, prot=mmap.PROT_READ) as it:
            for at in range(160_000):
                it[at * PIECE]
            with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as other:
                other.wait()
        yield from rows
`

describe.skipIf(!hasPython || process.platform !== "linux")("the memory limit of a run with Python nodes", () => {
  for (const [type, what] of [
    ["in_program", "programs that a node starts"],
    ["in_thread", "a process whose first thread has ended"],
    ["in_tables", "what the kernel keeps of a node's addresses"]
  ] as const) {
    it.live(`counts ${what}`, () =>
      Effect.gen(function* () {
        const source = { type: "dataset_generator", settings: { rows: [{}] } }
        const dag = chain([source, { type, publish: [] }], { memory_mib: 64, timeout_seconds: 60 })
        const { messages } = yield* run(dag, { "nodes/greedy.py": greedy })
        expect(ended(messages)).toMatchObject({
          outcome: "failed",
          error: "The run was stopped at its memory limit of 64 MiB"
        })
      })
    )
  }
})
