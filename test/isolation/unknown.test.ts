import { chmodSync, mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { Context, Effect, Layer, Stream } from "effect"
import { findPython } from "../../src/drivers/python/Interpreter.ts"
import * as RunPlaces from "../../src/layers/isolation/RunPlaces.ts"
import * as PythonPlaces from "../../src/layers/python/PythonPlaces.ts"
import { scanFiles } from "../../src/layers/python/Scanner.ts"
import type { PythonPlace } from "../../src/protocol/Isolation.ts"
import { AccessRules } from "../../src/services/access/AccessRules.ts"
import { temporaryFolder, testSettings } from "../support/gateway.ts"
import { hasPython } from "./victim.ts"

/** A folder with a python3 that is killed at its first starts, as on a machine without free memory. */
const killedAtFirst = Effect.fnUntraced(function* (starts: number) {
  const folder = yield* temporaryFolder
  const path = join(folder, "python3")
  const real = (yield* Effect.promise(() => findPython()))?.command
  const count = `n=$(cat ${folder}/starts 2>/dev/null || echo 0); echo $((n + 1)) > ${folder}/starts`
  writeFileSync(path, `#!/bin/sh\n${count}\n[ $n -lt ${starts} ] && kill -9 $$\nexec ${real} "$@"\n`)
  chmodSync(path, 0o755)
  return folder
})

/** Looks for programs in this folder first. */
const withPath = (folder: string) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const before = process.env["PATH"]
      process.env["PATH"] = `${folder}:${before}`
      return before
    }),
    (before) => Effect.sync(() => (process.env["PATH"] = before))
  )

const rules = Layer.succeed(AccessRules, { current: () => undefined, faulty: () => false, changes: Stream.empty })
const settings = testSettings({ databaseUrl: "postgres://unused" })
const pythonPlaces = PythonPlaces.layer.pipe(Layer.provide([rules, settings]))

const partsOf = Effect.gen(function* () {
  const context = yield* Layer.build(RunPlaces.layer.pipe(Layer.provide(pythonPlaces), Layer.provide(settings)))
  return yield* Effect.promise(() => Context.get(context, RunPlaces.RunPlaces).isolation())
})

describe.skipIf(!hasPython || process.platform !== "linux")("isolation on a machine in trouble", () => {
  it.live("is unknown when Python is killed at the first look, and whole at the next", () =>
    Effect.gen(function* () {
      const { parts } = yield* partsOf
      yield* withPath(yield* killedAtFirst(1))
      const context = yield* Layer.build(RunPlaces.layer.pipe(Layer.provide(pythonPlaces), Layer.provide(settings)))
      const { isolation } = Context.get(context, RunPlaces.RunPlaces)
      const first = yield* Effect.promise(() => isolation())
      expect(first).toMatchObject({ parts: [], refusal: expect.stringMatching(/^python3 did not tell its version/) })
      expect(yield* Effect.promise(() => isolation())).toMatchObject({ parts, hasDoor: parts.includes("files") })
    })
  )

  it.live("is had by runs as soon as Python is there", () =>
    Effect.gen(function* () {
      const { parts } = yield* partsOf
      const python = yield* Layer.build(pythonPlaces)
      const real = Context.get(python, PythonPlaces.PythonPlaces)
      let place: PythonPlace = {}
      const later = Layer.succeed(PythonPlaces.PythonPlaces, { ...real, place: async () => place })
      const context = yield* Layer.build(RunPlaces.layer.pipe(Layer.provide(later), Layer.provide(settings)))
      const { isolation, state } = Context.get(context, RunPlaces.RunPlaces)
      const without = yield* Effect.promise(() => isolation())
      expect([without.hasDoor, without.refusal]).toEqual([false, undefined])
      // The same object, so that the processes that wait are kept.
      expect(yield* Effect.promise(() => isolation())).toBe(without)
      place = yield* Effect.promise(() => real.place())
      expect(yield* Effect.promise(() => isolation())).toMatchObject({ parts })
      expect(state()?.parts).toEqual(parts)
    })
  )

  it.live("is unknown, not missing, when no process can be started", () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      const starved = join(folder, "python3")
      // Python's message when the system refuses it a fork. Root has no limit that would cause this.
      writeFileSync(starved, "#!/bin/sh\necho 'isolation: processes: Resource temporarily unavailable' >&2\nexit 71\n")
      chmodSync(starved, 0o755)
      const place = yield* Effect.promise(() => findPython())
      const python = yield* Layer.build(pythonPlaces)
      const real = Context.get(python, PythonPlaces.PythonPlaces)
      const later = Layer.succeed(PythonPlaces.PythonPlaces, {
        ...real,
        place: async () => ({ interpreter: { ...place!, command: starved } })
      })
      const context = yield* Layer.build(RunPlaces.layer.pipe(Layer.provide(later), Layer.provide(settings)))
      const found = yield* Effect.promise(() => Context.get(context, RunPlaces.RunPlaces).isolation())
      expect(found.refusal).toBe("Isolation could not be tried out: Resource temporarily unavailable")
    })
  )

  it.live("nodes that Python was killed over are not said to crash its parser", () =>
    Effect.gen(function* () {
      const folder = yield* killedAtFirst(2)
      const root = join(folder, "scratch")
      mkdirSync(root)
      const interpreter = yield* Effect.promise(() => findPython())
      const place = { interpreter: { ...interpreter!, command: join(folder, "python3") }, isolation: undefined, root }
      const files = [
        ["nodes/a.py", "class Split(Node):\n    def execute(self, rows):\n        yield from rows\n"]
      ] as const
      const scan = () => Effect.promise((signal) => scanFiles(place, files, signal))
      const killed = { error: { message: expect.stringMatching(/^not read: Python was ended/) } }
      expect(yield* scan()).toEqual({ found: [killed], isSettled: false })
      expect(yield* scan()).toEqual({ found: [killed], isSettled: false })
      expect(yield* scan()).toMatchObject({ found: [{ nodes: [{ type: "split" }] }], isSettled: true })
      const gone = { ...place, interpreter: { ...interpreter!, command: join(folder, "none") } }
      expect(yield* Effect.promise((signal) => scanFiles(gone, files, signal))).toEqual({
        found: [{ error: { message: "not read: Python could not be started: ENOENT" } }],
        isSettled: false
      })
    })
  )
})
