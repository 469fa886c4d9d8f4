import {
  appendFileSync,
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, expect, layer } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { ended, flowlineForm, gateway, raw, TestGateway } from "../support/gateway.ts"

const machine = mkdtempSync(join(tmpdir(), "flow-files-"))
afterAll(() => rmSync(machine, { recursive: true, force: true }))
const [logs, out] = [join(machine, "logs"), join(machine, "out")]
for (const folder of [logs, out]) mkdirSync(folder)
writeFileSync(join(logs, "app.log"), "one\ntwo\nthree\n")
chmodSync(join(logs, "app.log"), 0o644)
writeFileSync(join(machine, "secret.txt"), "secret")

const roots = { applogs: { path: logs, writable: false }, out: { path: out, writable: true } }

const nothing = `
runtime: stream
dag:
  - { type: file_input, settings: { ROOT path: PATH }, publish: [ { stream: out } ] }
  - { type: file_output, settings: { OUT path: "result/lines.ndjson" }, subscribe: [ { component: file_input, stream: out } ] }
  - { type: show, settings: { format: json }, subscribe: [ { component: file_input, stream: out } ] }
`

const flowline = (root: string, path: string, to = "") =>
  nothing
    .replace("ROOT", root === "" ? "" : `root: ${root},`)
    .replace("PATH", JSON.stringify(path))
    .replace("OUT", to === "" ? "" : `root: ${to},`)

const tenant = "mytenant"

/** A user and a group of the machine that are not root's. */
const [owner, group] = [12_345, 23_456]

interface Ready {
  readonly isolation: { readonly runs?: ReadonlyArray<string> }
}

const Saved = Schema.Struct({
  id: Schema.optionalKey(Schema.String),
  issues: Schema.optionalKey(Schema.Array(Schema.Struct({ detail: Schema.String })))
})

layer(gateway({ roots }), { excludeTestServices: true })("files of runs", (it) => {
  const saved = (text: string) =>
    Effect.flatMap(raw(`/v1/${tenant}/flowline/save`, { method: "POST", body: flowlineForm(text) }), (answer) =>
      Effect.promise(async () => ({
        status: answer.status,
        body: Schema.decodeUnknownSync(Saved)(await answer.json())
      }))
    )
  const run = Effect.fnUntraced(function* (text: string) {
    const { client } = yield* TestGateway
    const { body } = yield* saved(text)
    const flowlineId = body.id ?? ""
    const { id } = yield* client.flowlines.execute({ params: { tenant, id: flowlineId }, query: {} })
    const detail = yield* ended(tenant, flowlineId, id)
    const output = yield* raw(`/v1/${tenant}/flowline/executions/${id}/output`, { headers: { accept: "text/plain" } })
    return { ...detail, output: yield* Effect.promise(() => output.text()) }
  })
  const get = (path: string, init: RequestInit = {}) =>
    Effect.flatMap(raw(`/v1/${tenant}/${path}`, init), (answer) =>
      Effect.promise(async () => ({ status: answer.status, headers: answer.headers, text: await answer.text() }))
    )

  it.effect("may belong to another user of the machine, where root has started the gateway", () =>
    Effect.gen(function* () {
      if (process.geteuid?.() !== 0) return
      // As the logs of a service lie: its own folder, closed to others.
      const folder = join(logs, "service")
      mkdirSync(folder)
      writeFileSync(join(folder, "closed.log"), "closed\n", { mode: 0o640 })
      chownSync(join(folder, "closed.log"), owner, group)
      for (const [path, mode] of [
        [folder, 0o750],
        [logs, 0o750],
        [out, 0o750]
      ] as const) {
        chownSync(path, owner, group)
        chmodSync(path, mode)
      }
      const done = yield* run(flowline("applogs", "service/*.log", "out"))
      expect([done.state, done.error, done.output]).toEqual(["SUCCEEDED", null, expect.stringContaining("closed")])
      const written = statSync(join(out, "result", "lines.ndjson"))
      const { isolation } = (yield* Effect.map(get("../../health/ready"), ({ text }) => JSON.parse(text))) as Ready
      const isShifted = isolation.runs?.includes("user") === true
      expect([written.uid, written.gid]).toEqual(isShifted ? [owner, group] : [0, 0])
    })
  )

  it.effect("are what a run makes of a root, are read by the next run by the same name, and over HTTP", () =>
    Effect.gen(function* () {
      const { client } = yield* TestGateway
      const { state, error } = yield* run(flowline("applogs", "*.log"))
      expect([state, error]).toEqual(["SUCCEEDED", null])
      const content = '{"message":"one"}\n{"message":"two"}\n{"message":"three"}\n'
      expect((yield* run(flowline("", "result/lines.ndjson", "out"))).output).toBe(content)
      for (const query of ["", "?root=data", "?root=out"]) {
        const whole = yield* get(`files/result/lines.ndjson${query}`)
        expect([whole.status, whole.text]).toEqual([200, content])
        const part = yield* get(`files/result/lines.ndjson${query}`, { headers: { range: "bytes=18-34" } })
        expect([part.status, part.text]).toEqual([206, content.slice(18, 35)])
        const same = yield* get(`files/result/lines.ndjson${query}`, {
          headers: { "if-none-match": whole.headers.get("etag") ?? "" }
        })
        expect(same.status).toBe(304)
      }
      expect(yield* client.files.list({ params: { tenant }, query: { root: "out" } })).toEqual([
        { path: "result/lines.ndjson", size: content.length, modifiedAt: expect.stringMatching(/^\d{4}-.*Z$/) }
      ])
      expect(yield* client.files.roots({ params: { tenant } })).toEqual([
        { name: "applogs", writable: false },
        { name: "conf", writable: false },
        { name: "data", writable: true },
        { name: "out", writable: true }
      ])
      const file = "files/result/lines.ndjson?root=out"
      const remove = (headers: Record<string, string>) =>
        Effect.map(get(file, { method: "DELETE", headers }), ({ status }) => status)
      const { etag = "" } = Object.fromEntries((yield* get(file)).headers)
      appendFileSync(join(out, "result/lines.ndjson"), "{}\n")
      const longAgo = "Sat, 01 Jan 2000 00:00:00 GMT"
      const refused = [{ "if-match": etag }, { "if-none-match": "*" }, { "if-unmodified-since": longAgo }]
      expect(yield* Effect.forEach(refused, remove)).toEqual([412, 412, 412])
      const now = (yield* get(file)).headers.get("etag") ?? ""
      expect(yield* Effect.forEach([now, now], (tag) => remove({ "if-match": tag }))).toEqual([204, 404])
      expect(existsSync(join(out, "result/lines.ndjson"))).toBe(false)
      expect((yield* get("files/result/lines.ndjson?root=out")).status).toBe(404)
      expect((yield* get("files/result/lines.ndjson")).status).toBe(200)
    })
  )

  it.effect("are listed in pages that have each file once, whatever the names", () =>
    Effect.gen(function* () {
      const names = ["a", "a.b/c", "a b", "a/é", "a/x/1", "a/x/2", "b", "a-b/z", "Z"].filter((name) => name !== "a")
      for (const name of names) {
        mkdirSync(join(out, "many", name, ".."), { recursive: true })
        writeFileSync(join(out, "many", name), name)
      }
      symlinkSync(join(machine, "secret.txt"), join(out, "many", "link"))
      const whole = JSON.parse((yield* get("files?root=out")).text) as ReadonlyArray<{ readonly path: string }>
      const paths = whole.map(({ path }) => path)
      expect([...paths].sort()).toEqual(names.map((name) => `many/${name}`).sort())
      const paged: Array<string> = []
      let next = "files?root=out&limit=1"
      while (next !== "") {
        const page = yield* get(next)
        for (const { path } of JSON.parse(page.text)) paged.push(path)
        next = /<\/v1\/mytenant\/([^>]+)>/.exec(page.headers.get("link") ?? "")?.[1] ?? ""
      }
      expect(paged).toEqual(paths)
    })
  )

  it.effect("are in no other folder, and no link leads to one", () =>
    Effect.gen(function* () {
      symlinkSync(join(machine, "secret.txt"), join(out, "secret.txt"))
      symlinkSync("..", join(out, "up"))
      mkdirSync(join(out, ".flow"), { recursive: true })
      writeFileSync(join(out, ".flow", "own"), "own")
      const cases = [
        ["files/secret.txt?root=out", 404, /a link, .* leads out of the root \\"out\\"/],
        ["files/up/secret.txt?root=out", 404, /leads out of the root \\"out\\"/],
        ["files/.flow/own?root=out", 404, /There is no file/],
        ["files/..%2Fsecret.txt?root=out", 400, /segments/],
        ["files/none?root=out", 404, /There is no file \\"none\\" in the root \\"out\\"/],
        ["files/many?root=out", 400, /directory/],
        ["files/app.log?root=applogs", 400, /The root \\"applogs\\" is read-only/],
        ["files?root=applog", 400, /There is no root \\"applog\\"; did you mean \\"applogs\\"/],
        ["files?root=conf", 400, /GET \/v1\/\{tenant\}\/conf reads it/]
      ] as const
      for (const [path, status, said] of cases) {
        const answer = yield* get(path)
        expect([path, answer.status]).toEqual([path, status])
        expect(answer.text).toMatch(said)
        expect(answer.text).not.toContain(machine)
      }
      // A link is removed, but not its target.
      expect((yield* get("files/up/secret.txt?root=out", { method: "DELETE" })).status).toBe(404)
      expect((yield* get("files/secret.txt?root=out", { method: "DELETE" })).status).toBe(204)
      expect(existsSync(join(machine, "secret.txt"))).toBe(true)
    })
  )

  it.effect("and roots that there are not are faults of a flowline when it is saved", () =>
    Effect.gen(function* () {
      const faults = Effect.fnUntraced(function* (text: string) {
        const { status, body } = yield* saved(text)
        return [status, ...(body.issues ?? []).map(({ detail }) => detail)]
      })
      const all = "applogs (read-only), out (read and write), conf (read-only), data (read and write)"
      expect(yield* faults(flowline("aplogs", "a.log"))).toEqual([
        400,
        `There is no root "aplogs"; did you mean "applogs"? The roots are ${all}`
      ])
      expect(yield* faults(flowline("", "a.log", "applogs"))).toEqual([
        400,
        `The root "applogs" is read-only. The roots are ${all}`
      ])
      for (const path of ["/var/log/app/a.log", "file:///var/log/app/a.log", "file:a.log"]) {
        const [, absolute] = yield* faults(flowline("", path))
        expect(absolute, path).toMatch(/the path must be relative: .* root, which the operator names with FLOW_ROOTS/)
      }
    })
  )
})
