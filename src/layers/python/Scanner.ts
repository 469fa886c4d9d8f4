import { once } from "node:events"
import { mkdir, mkdtemp, rm } from "node:fs/promises"
import { join } from "node:path"
import type { Readable } from "node:stream"
import { text } from "node:stream/consumers"
import { Schema } from "effect"
import { codeOf, explain, Failure } from "../../drivers/Failure.ts"
import { isolationFailed, isolationRefusal, startPython } from "../../drivers/isolation/PythonStart.ts"
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

type File = readonly [name: string, text: string]

/** What scans: Python, how it is isolated, and where it may put temporary files. */
interface ScannerPlace {
  readonly interpreter: Interpreter
  readonly isolation: Isolation | undefined
  readonly root: string
}

/** Files were not read for a reason that is none of theirs: Python was not started, or got too little time. */
class Unread extends Failure {}

const late = new Unread(`the files take more than ${deadlineOneByOne / 1000} seconds to parse`)

/** Reads files together. Undefined where one of them crashes the parser. */
const scanTogether = async (
  { interpreter, isolation, root }: ScannerPlace,
  files: ReadonlyArray<File>,
  signal: AbortSignal
): Promise<ReadonlyArray<Found> | undefined> => {
  await mkdir(root, { recursive: true, mode: 0o700 })
  const folder = await mkdtemp(join(root, "scan-"))
  try {
    const child = startPython("scan.py", interpreter, isolation, {
      folder,
      stdio: ["pipe", "pipe", "pipe"],
      timeout: deadline,
      killSignal: "SIGKILL",
      signal
    })
    for (const stream of child.stdio) stream?.on("error", () => {})
    const closed = once(child, "close")
    child.stdin?.end(JSON.stringify(files))
    const read = (stream: Readable | null) => (stream === null ? "" : text(stream))
    const [[code, killed], said, complaint] = await Promise.all([closed, read(child.stdout), read(child.stderr)])
    if (code === 0) return decode(said)
    if (killed === "SIGKILL") throw new Unread(`Python was ended, or took more than ${deadline / 1000} seconds`)
    if (code === isolationFailed) throw new Unread(`Python could not be isolated: ${isolationRefusal(complaint)}`)
    return undefined
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** What files contain, in their order. `isSettled` is false where another try may find something else. */
interface ScanResult {
  readonly found: ReadonlyArray<Found>
  readonly isSettled: boolean
}

/**
 * Parses Python files into syntax trees with this machine's Python; no code of them is executed. A file that crashes
 * the parser is reported without affecting the others.
 */
export const scanFiles = async (
  place: ScannerPlace,
  files: ReadonlyArray<File>,
  signal: AbortSignal
): Promise<ScanResult> => {
  if (files.length === 0) return { found: [], isSettled: true }
  const scan = (some: ReadonlyArray<File>) =>
    scanTogether(place, some, signal).catch((error: unknown) => {
      signal.throwIfAborted()
      return error instanceof Unread
        ? error
        : new Unread(`Python could not be started: ${codeOf(error) ?? explain(error, [place.root]).error}`)
    })
  const together = await scan(files)
  if (together !== undefined && !(together instanceof Unread)) return { found: together, isSettled: true }
  const found: Array<Found> = []
  let isSettled = true
  const end = performance.now() + deadlineOneByOne
  for (const file of files) {
    const isLate = performance.now() > end
    const alone = isLate ? late : files.length === 1 ? together : await scan([file])
    if (alone instanceof Unread) {
      isSettled = false
      found.push({ error: { message: `not read: ${alone.message}` } })
    } else found.push(alone?.[0] ?? { error: { message: "the file crashes Python's parser" } })
  }
  return { found, isSettled }
}
