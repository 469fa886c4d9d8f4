import { mkdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { Schema } from "effect"
import { explain } from "../../src/drivers/Failure.ts"
import { findIsolation, type Maker } from "../../src/drivers/isolation/Probe.ts"
import { findPython } from "../../src/drivers/python/Interpreter.ts"
import type { RunContext } from "../../src/nodes/Node.ts"
import { Flowline } from "../../src/protocol/Flowline.ts"
import { pybatch } from "../../src/run/pybatch/Pybatch.ts"
import { Memory } from "../nodes/memory.ts"

/** What this program prints as its only line. */
export interface Said {
  readonly parts: ReadonlyArray<string>
  readonly missing: ReadonlyArray<{ readonly part: string; readonly reason: string }>
  readonly bubblewrap?: string | undefined
  readonly failure?: string | undefined
  readonly printed: ReadonlyArray<string>
}

// Finds out which isolation the machine allows a process like this one, and runs a flowline with it:
// `machine.ts <folder> <makers> <flowline> <file of its node>`.
const [folder = "", makers = "", text = "", hostile = ""] = process.argv.slice(2)

/** What an operator might keep below a folder that programs see. */
const hidden = ["/usr/share/doc", "/usr/lib/os-release"]

const interpreter = await findPython()
if (interpreter === undefined) throw new Error("no Python")
const chosen = makers.split(",").filter((maker): maker is Maker => maker === "python" || maker === "bubblewrap")
const isolation = await findIsolation(interpreter, {
  root: join(folder, "probe"),
  hidden: [folder, ...hidden],
  makers: chosen
})

const flowline = Schema.decodeUnknownSync(Flowline)(JSON.parse(text))
const memory = new Memory({ "nodes/hostile.py": readFileSync(hostile, "utf8") })
const context = (component: string): RunContext => memory.context(component)
const scratch = join(folder, "scratch")
mkdirSync(scratch)
const job = await pybatch(flowline, context, { scratch, spec: {}, python: { interpreter, isolation } })
const failure = await job.run().then(
  () => undefined,
  (cause: unknown) => explain(cause, []).error
)
const { bubblewrap, missing, parts } = isolation
console.log(
  `said ${JSON.stringify({ parts, missing, bubblewrap, failure, printed: memory.printed } satisfies Partial<Said>)}`
)
process.exit(0)
