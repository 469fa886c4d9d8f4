import { spawn } from "node:child_process"
import { text } from "node:stream/consumers"
import { Schema } from "effect"
import { type Interpreter, pythonOptions, pythonProgram } from "../../drivers/python/Interpreter.ts"

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

/** Milliseconds for parsing all files. */
const deadline = 10_000

type File = readonly [name: string, text: string]

const scanTogether = async (python: Interpreter, files: ReadonlyArray<File>): Promise<ReadonlyArray<Found>> => {
  const child = spawn(python.command, [...pythonOptions, pythonProgram("scan.py")], {
    stdio: ["pipe", "pipe", "ignore"],
    timeout: deadline,
    killSignal: "SIGKILL"
  })
  for (const stream of child.stdio) stream?.on("error", () => {})
  const failed = new Promise<never>((_, reject) => child.once("error", reject))
  child.stdin.end(JSON.stringify(files))
  return decode(await Promise.race([text(child.stdout), failed]))
}

/**
 * Parses Python files into syntax trees with this machine's Python; no code of them is executed. A file that crashes
 * the parser is reported without affecting the others.
 */
export const scanFiles = async (python: Interpreter, files: ReadonlyArray<File>): Promise<ReadonlyArray<Found>> => {
  if (files.length === 0) return []
  try {
    const found = await scanTogether(python, files)
    if (found.length === files.length) return found
  } catch {
    if (files.length === 1) return [{ error: { message: "the file crashes Python's parser" } }]
  }
  const found: Array<Found> = []
  for (const file of files) found.push(...(await scanFiles(python, [file])))
  return found
}
