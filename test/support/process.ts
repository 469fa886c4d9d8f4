import { type ChildProcess, spawn } from "node:child_process"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { Effect } from "effect"

/** A child process and its printed lines. */
export interface Running {
  readonly process: ChildProcess
  readonly lines: ReadonlyArray<string>
  /** The first line that starts with `word`. Fails if the process ends or the time is up before. */
  readonly line: (word: string, millis?: number) => Promise<string>
  readonly exit: Promise<{ readonly code: number | null; readonly signal: NodeJS.Signals | null }>
}

export interface RunOptions {
  readonly uid?: number
  readonly gid?: number
  readonly through?: ReadonlyArray<string>
}

/** Ends a process of a test with this process, also when this one is killed: a shell waits for the end of a pipe. */
export const endWithThis = (child: ChildProcess): void => {
  if (child.pid === undefined) return
  // With its group, if it leads one.
  const script = 'read _; kill -KILL -- "-$1" "$1"'
  const guard = spawn("/bin/sh", ["-c", script, "sh", String(child.pid)], {
    detached: true,
    stdio: ["pipe", "ignore", "ignore"]
  })
  guard.on("error", () => {})
  guard.unref()
  child.once("exit", () => guard.kill("SIGKILL"))
}

/**
 * Runs a TypeScript file in a separate Node process. Its stderr is added to a failure.
 *
 * @param options.through a command that replaces itself by the command appended to it
 */
export const runFile = (
  file: URL,
  args: ReadonlyArray<string>,
  { through = [], ...user }: RunOptions = {}
): Running => {
  const [program = process.execPath, ...rest] = [...through, process.execPath, fileURLToPath(file), ...args]
  const child = spawn(program, rest, { ...user, stdio: ["ignore", "pipe", "pipe"] })
  endWithThis(child)
  const lines: Array<string> = []
  let complaints = ""
  child.stderr.on("data", (chunk: Buffer) => (complaints += chunk.toString()))
  const reader = createInterface({ input: child.stdout })
  reader.on("line", (text) => lines.push(text))
  const exit = new Promise<{ code: number | null; signal: NodeJS.Signals | null }>((done) => {
    child.on("close", (code, signal) => done({ code, signal }))
    // The process could not be started.
    child.on("error", (error) => {
      complaints += error.message
      done({ code: null, signal: null })
    })
  })
  const line = (word: string, millis = patience) =>
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

/**
 * Maximum milliseconds to wait for a condition. Only failures take this long: the bound allows for a machine that is
 * many times slower than usual.
 */
export const patience = 100_000

/** Milliseconds until the next check: few at first, then more, because each check costs processor time. */
const longer = (pause: number) => Math.min(pause * 1.3, 150)

const pass = (millis: number) => new Promise<void>((done) => setTimeout(done, millis))

/** Polls until the condition holds; fails after `millis`. */
export const eventually = async (what: string, holds: () => boolean | Promise<boolean>, millis = patience) => {
  const deadline = performance.now() + millis
  for (let pause = 10; ; pause = longer(pause)) {
    if (await holds()) return
    if (performance.now() > deadline) throw new Error(`Not within ${millis} ms: ${what}`)
    await pass(pause)
  }
}

/** Polls a value until it is as expected, and returns it. Fails with the last value. */
export const until = <A, E, R>(look: Effect.Effect<A, E, R>, holds: (seen: A) => boolean): Effect.Effect<A, E, R> =>
  Effect.gen(function* () {
    const deadline = performance.now() + patience
    for (let pause = 10; ; pause = longer(pause)) {
      const seen = yield* look
      if (holds(seen)) return seen
      if (performance.now() > deadline) throw new Error(`Not within ${patience} ms: ${JSON.stringify(seen)}`)
      yield* Effect.promise(() => pass(pause))
    }
  })
