import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdirSync, readFileSync } from "node:fs"
import { Duplex } from "node:stream"
import { pathToFileURL } from "node:url"
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { findPython } from "../../src/drivers/python/Interpreter.ts"
import { findRunIsolation } from "../../src/layers/isolation/RunProbe.ts"
import { places, settings } from "../engine/support.ts"
import { eventually } from "../support/process.ts"
import { childrenOf, isAlive, signal } from "../support/process-gateway.ts"

const python = await findPython()

const below = (pid: number): ReadonlyArray<number> => childrenOf(pid).flatMap((child) => [child, ...below(child)])

const systemAdministration = 1n << 21n

const isAdmin = (pid: number): boolean => {
  const [, effective = "0"] = /CapEff:\s+(\w+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? []
  return (BigInt(`0x${effective}`) & systemAdministration) !== 0n
}

it.live.skipIf(python === undefined || process.platform !== "linux")(
  "an isolated program ends when its launcher is killed, also before it reads anything of its gateway",
  () =>
    Effect.gen(function* () {
      const { root } = yield* places
      const { entry, tempRoot } = settings(root)
      mkdirSync(tempRoot)
      const site = { hidden: [], tempRoot, hasNetwork: true, roots: [], entry: entry ?? pathToFileURL(root) }
      const isolation = yield* Effect.promise(() =>
        findRunIsolation({ interpreter: python, isolation: undefined }, site, tempRoot)
      )
      if (!isolation.hasDoor) return
      const [command = "", ...args] = isolation.launcher
      const idle = [process.execPath, "-e", "console.log('here'); setInterval(() => {}, 60_000)"]
      const launcher = spawn(command, [...args, ...idle], {
        cwd: tempRoot,
        stdio: ["ignore", "pipe", "inherit", "ignore", "ignore", "pipe"]
      })
      yield* Effect.addFinalizer(() => Effect.sync(() => launcher.kill("SIGKILL")))
      const streams: ReadonlyArray<unknown> = launcher.stdio
      const door = streams[5]
      if (!(door instanceof Duplex)) return yield* Effect.die("the launcher has no door")
      door.write(`read\0${root}\0\0`)
      const [[answer]] = yield* Effect.promise(() => Promise.all([once(door, "data"), once(launcher.stdout!, "data")]))
      expect(String(answer)).toBe("ok\n")
      const inside = below(launcher.pid!)
      expect(inside.length).toBeGreaterThan(0)
      yield* Effect.addFinalizer(() => Effect.sync(() => signal(inside.filter(isAlive), "SIGKILL")))
      yield* Effect.promise(() => eventually("it has given up what it needed", () => !isAdmin(launcher.pid!)))
      launcher.kill("SIGKILL")
      yield* Effect.promise(() => eventually("nothing of it is left", () => !inside.some(isAlive), 20_000))
    })
)
