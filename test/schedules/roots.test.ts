import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { fileAccess } from "../limits/access.ts"
import { gatewayOn } from "../support/gateway.ts"
import { until } from "../support/process.ts"
import { call, firings, printed, put, saved, untilFirings } from "./support.ts"

const machine = mkdtempSync(join(tmpdir(), "flow-watched-"))
afterAll(() => rmSync(machine, { recursive: true, force: true }))
const [logs, out] = [join(machine, "logs"), join(machine, "out")]
for (const folder of [logs, out]) mkdirSync(folder)
const roots = { applogs: { path: logs, writable: false }, results: { path: out, writable: true } }

const access = fileAccess()

const reading = (root?: string) => `
runtime: stream
dag:
  - type: file_input
    settings: { ${root === undefined ? "" : `root: ${root}, `}path: "\${trigger:file}", format: lines }
    publish: [ { stream: out } ]
  - { type: show, subscribe: [ { component: file_input, stream: out } ] }
`

const writing = (root: string | undefined, path: string) => `
runtime: stream
dag:
  - { type: trigger_input, publish: [ { stream: out } ] }
  - type: file_output
    settings: { ${root === undefined ? "" : `root: ${root}, `}path: ${path} }
    subscribe: [ { component: trigger_input, stream: out } ]
`

const faultOf = (name: string) =>
  Effect.map(call("GET", `schedules/${name}`), ({ body }) => body.fault as string | null)
const untilFault = (name: string, holds: (fault: string | null) => boolean) => until(faultOf(name), holds)
const filesOf = (name: string) => Effect.map(firings(name), (all) => all.map(({ file }) => file).toReversed())
const allEnded = (count: number) => (all: ReadonlyArray<{ readonly endedAt: string | null }>) =>
  all.length >= count && all.every(({ endedAt }) => endedAt !== null)

layer(gatewayOn(access.layer, { roots }), { excludeTestServices: true })("schedules of new files in roots", (it) => {
  it.effect("fire for each file that comes, whose run reads it in the same root", () =>
    Effect.gen(function* () {
      writeFileSync(join(logs, "before.log"), "old\n")
      writeFileSync(join(machine, "secret.log"), "secret\n")
      const flowline = yield* saved(reading("applogs"))
      const file = { root: "applogs", path: "**/*.log", restsFor: "1s" }
      const made = yield* put("logs", { flowline, trigger: { file } })
      expect([made.status, made.body.trigger]).toEqual([201, { file }])
      mkdirSync(join(logs, "day"))
      mkdirSync(join(logs, ".flow"))
      writeFileSync(join(logs, ".flow", "hidden.log"), "unfinished\n")
      symlinkSync(join(machine, "secret.log"), join(logs, "outside.log"))
      writeFileSync(join(logs, "day", "a.log"), "one\ntwo\n")
      const [first] = yield* untilFirings("logs", ([one]) => one?.state === "SUCCEEDED")
      expect(first).toMatchObject({ kind: "file", file: "day/a.log" })
      expect(yield* printed(first!.execution!)).toEqual([{ message: "one" }, { message: "two" }])
      writeFileSync(join(logs, "b.log"), "three\n")
      yield* untilFirings("logs", allEnded(2))
      expect(yield* filesOf("logs")).toEqual(["day/a.log", "b.log"])

      // A schedule that is sent with another root begins anew: the files that are there are not new.
      writeFileSync(join(out, "there.log"), "there\n")
      yield* put("logs", { flowline, trigger: { file: { ...file, root: "results" } } })
      writeFileSync(join(out, "came.log"), "came\n")
      yield* untilFirings("logs", (all) => all.length >= 3)
      expect(yield* filesOf("logs")).toEqual(["day/a.log", "b.log", "came.log"])
      yield* call("DELETE", "schedules/logs")
    })
  )

  it.effect("fire for what runs write, in a root and in the data area", () =>
    Effect.gen(function* () {
      const writes = [
        ["results", "made.ndjson", "results"],
        [undefined, "made/area.ndjson", undefined],
        [undefined, "made/named.ndjson", "data"]
      ] as const
      for (const [to, path, from] of writes) {
        const reader = yield* saved(reading(from))
        const root = from === undefined ? {} : { root: from }
        yield* put("reads", { flowline: reader, trigger: { file: { ...root, path, restsFor: "1s" } } })
        yield* put("writes", { flowline: yield* saved(writing(to, path)), trigger: { every: "30d" } })
        yield* call("POST", "schedules/writes/run")
        const [done] = yield* untilFirings("reads", allEnded(1))
        expect([path, done?.state, done?.file]).toEqual([path, "SUCCEEDED", path])
        const [line] = yield* printed(done!.execution!)
        expect(JSON.parse(line.message)).toMatchObject({ schedule: "writes", kind: "run" })
        for (const name of ["reads", "writes"]) yield* call("DELETE", `schedules/${name}`)
      }
    })
  )

  it.effect("refuse roots that the tenant has not, and say which it has", () =>
    Effect.gen(function* () {
      const flowline = yield* saved(reading("applogs"))
      const { status, body } = yield* put("x", { flowline, trigger: { file: { root: "aplogs", path: "*.log" } } })
      expect([status, body.issues]).toEqual([
        400,
        [
          {
            part: "body",
            pointer: "/trigger/file/root",
            detail: expect.stringMatching(/^There is no root "aplogs"; did you mean "applogs"\? The roots are applogs/)
          }
        ]
      ])
      expect((yield* call("GET", "schedules/x")).status).toBe(404)
    })
  )

  it.effect("say that a root is away, fire everything else, and go on without firing twice", () =>
    Effect.gen(function* () {
      const gone = join(machine, "gone")
      const here = join(machine, "here")
      mkdirSync(here)
      yield* access.changeFile({ tenants: { mytenant: { roots: { share: here } } } })
      writeFileSync(join(here, "old.log"), "old\n")
      const flowline = yield* saved(reading("share"))
      // A plain path as well: that there is no such file must not be taken for an answer of a root that is away.
      yield* put("all", { flowline, trigger: { file: { root: "share", path: "*.log", restsFor: "1s" } } })
      yield* put("one", { flowline, trigger: { file: { root: "share", path: "old.log", restsFor: "1s" } } })
      writeFileSync(join(here, "new.log"), "new\n")
      yield* untilFirings("all", allEnded(1))

      renameSync(here, gone)
      const away = 'The folder of the root "share" does not exist on the gateway\'s machine'
      for (const name of ["all", "one"]) expect(yield* untilFault(name, (fault) => fault !== null)).toBe(away)
      expect((yield* put("third", { flowline, trigger: { file: { root: "share", path: "*" } } })).body.issues).toEqual([
        { part: "body", pointer: "/trigger/file/root", detail: away }
      ])
      yield* put("timed", { flowline: yield* saved(), trigger: { every: "1s" } })
      yield* untilFirings("timed", (all) => all.some(({ state }) => state === "SUCCEEDED"))
      yield* call("DELETE", "schedules/timed")

      // An empty folder is what a share leaves that is not mounted.
      mkdirSync(here)
      for (const name of ["all", "one"]) yield* untilFault(name, (fault) => fault === null)
      writeFileSync(join(here, "local.log"), "local\n")
      yield* untilFirings("all", allEnded(2))
      rmSync(here, { recursive: true })
      for (const name of ["all", "one"]) yield* untilFault(name, (fault) => fault !== null)
      renameSync(gone, here)
      for (const name of ["all", "one"]) yield* untilFault(name, (fault) => fault === null)
      writeFileSync(join(here, "last.log"), "last\n")
      yield* untilFirings("all", (all) => allEnded(3)(all) && all.some(({ file }) => file === "last.log"))
      expect(yield* filesOf("all")).toEqual(["new.log", "local.log", "last.log"])
      expect(yield* firings("one")).toEqual([])

      // Nor does a root that the operator takes away stop anything.
      yield* access.changeFile({})
      expect(yield* untilFault("all", (fault) => fault !== null)).toMatch(/^There is no root "share"/)
      yield* access.changeFile({ tenants: { mytenant: { roots: { share: here } } } })
      yield* untilFault("all", (fault) => fault === null)
      writeFileSync(join(here, "back.log"), "back\n")
      yield* untilFirings("all", (all) => allEnded(4)(all) && all.some(({ file }) => file === "back.log"))
      expect(yield* filesOf("all")).toEqual(["new.log", "local.log", "last.log", "back.log"])
      for (const name of ["all", "one"]) yield* call("DELETE", `schedules/${name}`)
      yield* access.changeFile({})
    })
  )
})
