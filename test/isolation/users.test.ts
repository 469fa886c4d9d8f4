import { spawn } from "node:child_process"
import { once } from "node:events"
import { chmodSync, lstatSync, mkdirSync } from "node:fs"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { findPython, pythonProgram } from "../../src/drivers/python/Interpreter.ts"
import { act, ended, engine, follow, places, settings } from "../engine/support.ts"
import { eventually } from "../support/process.ts"
import { isAlive, temporary } from "../support/process-gateway.ts"

const python = await findPython()

/** Says which user it has, or why none, and ends with its input. */
const holder = `
import sys
sys.path.insert(0, sys.argv[1])
import users
try:
    user, file = users.lease(sys.argv[2:], 900001, 900003)
    print(user, flush=True)
except OSError as error:
    print(error.strerror, flush=True)
sys.stdin.read()
`

/** Is killed before the process that it has created is set to end with it. That process prints its pid. */
const orphaned = `
import os, sys
sys.path.insert(0, sys.argv[1])
import system
follow = system.end_with_parent
def late():
    parent = os.getppid()
    os.write(1, f"{os.getpid()}\\n".encode())
    os.kill(parent, 9)
    while os.getppid() == parent:
        pass
    follow()
system.end_with_parent = late
system.shift(900001)
`

/** A process that takes one user of three, and its output. */
const take = Effect.fnUntraced(function* (folders: ReadonlyArray<string>) {
  const child = spawn(python!.command, ["-I", "-B", "-c", holder, join(pythonProgram("users.py"), ".."), ...folders], {
    stdio: ["pipe", "pipe", "inherit"]
  })
  yield* Effect.addFinalizer(() => Effect.sync(() => child.kill("SIGKILL")))
  const [line] = yield* Effect.promise(() => once(createInterface({ input: child.stdout! }), "line"))
  const kill = Effect.promise(async () => {
    const exit = once(child, "exit")
    child.kill("SIGKILL")
    await exit
  })
  return { said: String(line), kill }
})

describe.skipIf(python === undefined || process.platform === "win32")("users of programs", () => {
  it.live("leave no process when their launcher is killed at its worst moment", () =>
    Effect.gen(function* () {
      const child = spawn(python!.command, ["-I", "-B", "-c", orphaned, join(pythonProgram("users.py"), "..")], {
        stdio: ["ignore", "pipe", "inherit"]
      })
      const [line] = yield* Effect.promise(() => once(createInterface({ input: child.stdout }), "line"))
      const pid = Number(line)
      yield* Effect.addFinalizer(() => Effect.sync(() => isAlive(pid) && process.kill(pid, "SIGKILL")))
      yield* Effect.promise(() => eventually("the process has ended", () => !isAlive(pid), 20_000))
    })
  )

  it.live("belong to one program each, and are free when its process is killed", () =>
    Effect.gen(function* () {
      const folder = join(yield* temporary, "users")
      const holders = yield* Effect.forEach([1, 2, 3], () => take([folder]))
      expect(holders.map(({ said }) => said).toSorted()).toEqual(["900001", "900002", "900003"])
      expect((yield* take([folder])).said).toContain("all 3 users for isolated programs are taken")
      yield* holders[1]!.kill
      expect((yield* take([folder])).said).toBe(holders[1]!.said)
      // Whoever could open the file could take all users away.
      expect([folder, join(folder, "locks")].map((path) => lstatSync(path).mode & 0o077)).toEqual([0, 0])
    })
  )

  it.live("are kept in a folder that nobody else can write", () =>
    Effect.gen(function* () {
      const root = yield* temporary
      const [open, own] = [join(root, "open"), join(root, "own")]
      mkdirSync(open)
      chmodSync(open, 0o777)
      expect((yield* take([open])).said).toContain("can be written by them")
      const holders = yield* Effect.forEach([1, 2, 3], () => take([open, join(root, "absent/users"), own]))
      expect(holders.map(({ said }) => said).toSorted()).toEqual(["900001", "900002", "900003"])
      expect((yield* take([own])).said).toContain("are taken")
    })
  )

  it.live("are named by the run that finds none", () =>
    Effect.gen(function* () {
      const { root } = yield* places
      const reason = "all 606 users for isolated programs are taken on this machine; try again later"
      const launcher = ["sh", "-c", `echo "isolation: user: ${reason}" >&2; exit 71`]
      const isolation = { parts: [], missing: [], launcher, hasDoor: true }
      const messages = yield* Effect.provide(
        follow(act("test_echo")),
        engine(settings(root, { isolation: async () => isolation }))
      )
      expect(ended(messages)).toMatchObject({
        outcome: "failed",
        error: `The process of the run could not be isolated: ${reason}`
      })
    })
  )
})
