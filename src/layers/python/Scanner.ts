import { mkdir, mkdtemp, rm } from "node:fs/promises"
import { join } from "node:path"
import { text } from "node:stream/consumers"
import { Schema } from "effect"
import { startPython } from "../../drivers/isolation/PythonStart.ts"
import type { Interpreter, Isolation } from "../../protocol/Isolation.ts"

const Found = Schema.Union([
  Schema.Struct({
    nodes: Schema.Array(
      Schema.Struct({
        type: Schema.String,
        description: Schema.String,
        settings: Schema.Record(Schema.String, Schema.Unknown),
        line: Schema.Int
      })
    )
  }),
  Schema.Struct({ error: Schema.Struct({ message: Schema.String, line: Schema.optionalKey(Schema.Int) }) })
])

/** The content of a Python file: its nodes, or why it cannot be read. */
export type Found = typeof Found.Type

const decode = Schema.decodeUnknownSync(Schema.fromJsonString(Schema.Array(Found)))

/** Milliseconds for parsing all files, and for parsing them one by one when one of them takes longer or crashes. */
const deadline = 10_000
const deadlineOneByOne = 30_000

const late = { error: { message: `not read: the files take more than ${deadlineOneByOne / 1000} seconds to parse` } }

type File = readonly [name: string, text: string]

/** What scans: Python, how it is isolated, and where it may put temporary files. */
export interface ScannerPlace {
  readonly interpreter: Interpreter
  readonly isolation: Isolation | undefined
  readonly root: string
}

const scanTogether = async (
  { interpreter, isolation, root }: ScannerPlace,
  files: ReadonlyArray<File>,
  signal: AbortSignal
): Promise<ReadonlyArray<Found>> => {
  await mkdir(root, { recursive: true })
  const folder = await mkdtemp(join(root, "scan-"))
  try {
    const child = await startPython("scan.py", interpreter, isolation, {
      folder,
      stdio: ["pipe", "pipe", "ignore"],
      timeout: deadline,
      killSignal: "SIGKILL",
      signal
    })
    for (const stream of child.stdio) stream?.on("error", () => {})
    const failed = new Promise<never>((_, reject) => child.once("error", reject))
    child.stdin?.end(JSON.stringify(files))
    return decode(await Promise.race([child.stdout === null ? "" : text(child.stdout), failed]))
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/**
 * Parses Python files into syntax trees with this machine's Python; no code of them is executed. A file that crashes
 * the parser is reported without affecting the others.
 */
export const scanFiles = async (
  place: ScannerPlace,
  files: ReadonlyArray<File>,
  signal: AbortSignal
): Promise<ReadonlyArray<Found>> => {
  if (files.length === 0) return []
  const together = await scanTogether(place, files, signal).catch(() => [])
  if (together.length === files.length) return together
  const found: Array<Found> = []
  const end = performance.now() + deadlineOneByOne
  for (const file of files) {
    signal.throwIfAborted()
    if (performance.now() > end) found.push(late)
    else {
      const [alone] = files.length === 1 ? [] : await scanTogether(place, [file], signal).catch(() => [])
      found.push(alone ?? { error: { message: "the file crashes Python's parser" } })
    }
  }
  return found
}
