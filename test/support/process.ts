import { type ChildProcess, spawn } from "node:child_process"
import { createInterface } from "node:readline"

/** A child process and the lines it has printed. */
export interface Running {
  readonly process: ChildProcess
  readonly lines: ReadonlyArray<string>
  /** The first line that starts with `word`; fails when the process ends, or the time is up, without it. */
  readonly line: (word: string, millis?: number) => Promise<string>
  readonly exit: Promise<{ readonly code: number | null; readonly signal: NodeJS.Signals | null }>
}

/** Runs a TypeScript file in a Node of its own. What it writes to stderr is added to a failure. */
export const runFile = (
  file: URL,
  args: ReadonlyArray<string>,
  options: { readonly uid?: number; readonly gid?: number } = {}
): Running => {
  const child = spawn(process.execPath, [file.pathname, ...args], { ...options, stdio: ["ignore", "pipe", "pipe"] })
  const lines: Array<string> = []
  let complaints = ""
  child.stderr.on("data", (chunk: Buffer) => (complaints += chunk.toString()))
  const reader = createInterface({ input: child.stdout })
  reader.on("line", (text) => lines.push(text))
  const exit = new Promise<{ code: number | null; signal: NodeJS.Signals | null }>((done) =>
    child.on("close", (code, signal) => done({ code, signal }))
  )
  const line = (word: string, millis = 100_000) =>
    new Promise<string>((done, fail) => {
      const look = () => {
        const found = lines.find((text) => text.startsWith(word))
        if (found !== undefined) finish(() => done(found))
      }
      const finish = (settle: () => void) => {
        clearTimeout(timer)
        reader.off("line", look)
        settle()
      }
      const lost = (why: string) =>
        finish(() => fail(new Error(`No line "${word}" (${why}): ${lines.slice(-5).join("\n")}\n${complaints}`)))
      const timer = setTimeout(lost, millis, "time is up")
      reader.on("line", look)
      void exit.then(() => {
        look()
        lost("the process has ended")
      })
      look()
    })
  return { process: child, lines, line, exit }
}

/** Polls until the condition holds; fails after `millis`. */
export const eventually = async (what: string, holds: () => boolean | Promise<boolean>, millis = 100_000) => {
  const deadline = performance.now() + millis
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error(`Not within ${millis} ms: ${what}`)
    await new Promise((done) => setTimeout(done, 25))
  }
}
