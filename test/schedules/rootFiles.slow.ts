import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { fileAccess } from "../limits/access.ts"
import { gatewayOn } from "../support/gateway.ts"
import { allEnded, call, filesOf, printed, put, readingTrigger, saved, untilFirings } from "./support.ts"

const machine = mkdtempSync(join(tmpdir(), "flow-watched-"))
afterAll(() => rmSync(machine, { recursive: true, force: true }))
const [logs, out] = [join(machine, "logs"), join(machine, "out")]
for (const folder of [logs, out]) mkdirSync(folder)
const roots = { applogs: { path: logs, writable: false }, results: { path: out, writable: true } }

const access = fileAccess()

const writing = (root: string | undefined, path: string) => `
runtime: stream
dag:
  - { type: trigger_input, publish: [ { stream: out } ] }
  - type: file_output
    settings: { ${root === undefined ? "" : `root: ${root}, `}path: ${path} }
    subscribe: [ { component: trigger_input, stream: out } ]
`

layer(gatewayOn(access.layer, { roots }), { excludeTestServices: true })("schedules of new files in roots", (it) => {
  it.effect("fire for each file that comes, whose run reads it in the same root", () =>
    Effect.gen(function* () {
      writeFileSync(join(logs, "before.log"), "old\n")
      writeFileSync(join(machine, "secret.log"), "secret\n")
      const flowline = yield* saved(readingTrigger("applogs"))
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

      // A schedule that is sent with another root starts anew: existing files are not new.
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
        const reader = yield* saved(readingTrigger(from))
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
      const flowline = yield* saved(readingTrigger("applogs"))
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
})
