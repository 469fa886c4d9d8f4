import { spawn } from "node:child_process"
import { cpSync, mkdirSync, readdirSync, symlinkSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { root } from "../support/documents.ts"
import { endWithThis, eventually } from "../support/process.ts"
import { childrenOf, isAlive, signal, temporary } from "../support/process-gateway.ts"
import { generator, tenantOf } from "../support/runs.ts"

const copied = [
  "package.json",
  "package-lock.json",
  "bin",
  "scripts",
  "dist",
  "src",
  "migrations",
  "examples",
  "python",
  "docs"
]

/** A folder like a clone of the project after `npm ci`. */
const clone = Effect.map(temporary, (folder) => {
  for (const name of copied) cpSync(join(root, name), join(folder, name), { recursive: true })
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"))
  mkdirSync(join(folder, "data"), { mode: 0o711 })
  return folder
})

const withBelow = (pid: number): ReadonlyArray<number> => [pid, ...childrenOf(pid).flatMap(withBelow)]

/**
 * `npm start` as the leader of a process group, as in a terminal. Its remaining processes are killed with the scope.
 */
const npmStart = (folder: string) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const { PATH, HOME, TMPDIR, NODE_COMPILE_CACHE } = process.env
      const npm = spawn("npm", ["start"], {
        cwd: folder,
        detached: true,
        env: { PATH, HOME, TMPDIR, NODE_COMPILE_CACHE, FLOW_PORT: "0", FLOW_DATA: join(folder, "data") },
        stdio: ["ignore", "pipe", "pipe"]
      })
      endWithThis(npm)
      let printed = ""
      for (const pipe of [npm.stdout, npm.stderr]) pipe.on("data", (chunk: Buffer) => (printed += chunk.toString()))
      const exit = new Promise<readonly [number | null, string | null]>((done) =>
        npm.once("exit", (code, signal) => done([code, signal]))
      )
      const ready = async () => {
        const url = () => /^flow-gateway ready (\S+)$/m.exec(printed)?.[1]
        await eventually("the ready line", () => url() !== undefined || npm.exitCode !== null)
        return url() ?? Promise.reject(new Error(printed))
      }
      const family = new Set<number>()
      const look = () => {
        for (const pid of withBelow(npm.pid!)) family.add(pid)
        return [...family]
      }
      return { pid: npm.pid!, exit, ready, look }
    }),
    ({ look }) => Effect.sync(() => signal(look().filter(isAlive), "SIGKILL"))
  )

describe("npm start", () => {
  it.live(
    "hands signals to the gateway, leaves nothing behind, and its runs go on at the next start",
    () =>
      Effect.gen(function* () {
        const folder = yield* clone
        const started = Effect.gen(function* () {
          const npm = yield* npmStart(folder)
          return { ...npm, tenant: tenantOf(yield* Effect.promise(npm.ready)) }
        })
        const first = yield* started
        const id = yield* Effect.promise(() => first.tenant.run(generator(undefined, 10)))
        yield* Effect.promise(() => first.tenant.running(id))
        // npm, the gateway, its PostgreSQL and the run.
        const family = first.look()
        expect(family.length).toBeGreaterThan(4)
        process.kill(first.pid, "SIGTERM")
        expect(yield* Effect.promise(() => first.exit)).toEqual([0, null])
        yield* Effect.promise(() => eventually("no process is left", () => !family.some(isAlive)))

        const second = yield* started
        expect((yield* Effect.promise(() => second.tenant.running(id))).events).toHaveLength(1)
        const others = second.look()
        // A Ctrl-C at a terminal: npm and the gateway get it, and npm hands it on.
        process.kill(-second.pid, "SIGINT")
        expect(yield* Effect.promise(() => second.exit)).toEqual([0, null])
        yield* Effect.promise(() => eventually("no process is left", () => !others.some(isAlive)))
      }),
    120_000
  )

  it.live("ends in order on a signal that comes while it loads", () =>
    Effect.gen(function* () {
      const data = yield* temporary
      const early = "data:text/javascript,setImmediate(()=>process.kill(process.pid,15))"
      const program = join(root, "bin/flow-gateway.js")
      const child = spawn(process.execPath, ["--import", early, program], {
        env: { PATH: process.env["PATH"], FLOW_DATA: data },
        stdio: "ignore"
      })
      const ended = new Promise((done) => child.once("exit", (code, signal) => done([code, signal])))
      expect(yield* Effect.promise(() => ended)).toEqual([0, null])
      expect(readdirSync(data)).toEqual([])
    })
  )
})
