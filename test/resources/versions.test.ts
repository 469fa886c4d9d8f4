import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { flowlineForm, onBoth, raw, TestGateway } from "../support/gateway.ts"
import { content, copy, move, register, versions } from "./stored.ts"
import { ask, form, tenant } from "./support.ts"

const hello = `
runtime: stream
dag:
  - { type: generator_input, settings: { messages: [hello], count: 1 }, publish: [ { stream: greetings } ] }
  - { type: show, subscribe: [ { component: generator_input, stream: greetings } ] }
`

const base = `/v1/${tenant}/resources`

/** Puts files into the tenant's data area. */
const area = (files: Readonly<Record<string, string>>) =>
  Effect.map(TestGateway, ({ settings }) => {
    const root = join(settings.data, "blobs", tenant, "data")
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(join(root, path, ".."), { recursive: true })
      writeFileSync(join(root, path), text)
    }
    return root
  })

onBoth("numbers of versions", (it) => {
  it.effect("get the next number also after the largest one that can be chosen", () =>
    Effect.gen(function* () {
      yield* area({ "m.txt": "most" })
      expect((yield* register("most", { url: "m.txt", version: "2147483647" })).status).toBe(200)
      expect((yield* register("most", { url: "m.txt", version: "2147483648" })).status).toBe(200)
      expect((yield* register("most", { url: "m.txt" })).json).toMatchObject({ metadata: [{ version: 2147483649 }] })
      expect(yield* content("most", 2147483648)).toBe("most")
      expect((yield* ask(`${base}/stored/most?version=2147483649`, { method: "DELETE" })).status).toBe(200)
      expect((yield* move("most", { destination: "moves/most", version: "2147483648" })).status).toBe(201)
      expect((yield* register("moves/most", { url: "m.txt" })).json).toMatchObject({
        metadata: [{ version: 2147483649 }]
      })
      expect((yield* copy("moves/most", { destination: "moves/most" })).status).toBe(422)
      expect((yield* ask(`${base}/stored/moves/most?version=2147483649`, { method: "DELETE" })).status).toBe(200)
      expect(yield* versions("moves/most")).toEqual([2147483648])
    })
  )

  it.effect("can be chosen up to 2^52, and counted on from there", () =>
    Effect.gen(function* () {
      yield* area({ "m.txt": "most" })
      const most = String(2 ** 52)
      expect((yield* register("far", { url: "m.txt", version: most })).status).toBe(200)
      expect((yield* register("far", { url: "m.txt", version: String(2 ** 52 + 1) })).status).toBe(400)
      expect((yield* register("far", { url: "m.txt" })).json).toMatchObject({ metadata: [{ version: 2 ** 52 + 1 }] })
      expect(yield* versions("far")).toEqual([2 ** 52, 2 ** 52 + 1])
    })
  )

  it.effect("are not found where there is no such version, however large they are", () =>
    Effect.gen(function* () {
      const { client } = yield* TestGateway
      const T = `/v1/${tenant}`
      const payload = form({ file: { bytes: "x" }, path: "large.txt" })
      yield* client.registry.create({ params: { tenant }, payload })
      const saved = yield* client.flowlines.save({ params: { tenant }, query: {}, payload: flowlineForm(hello) })
      for (const version of ["2147483648", "9007199254740991"]) {
        for (const [method, path] of [
          ["GET", `${T}/registry/download/large.txt?version=${version}`],
          ["GET", `${T}/registry/metadata/large.txt?version=${version}`],
          ["DELETE", `${T}/registry/delete/large.txt?version=${version}`],
          ["GET", `${T}/resources/stored/large.txt?version=${version}`],
          ["GET", `${T}/resources/content/large.txt?version=${version}`],
          ["DELETE", `${T}/resources/stored/large.txt?version=${version}`],
          ["GET", `${T}/flowline/${saved.id}?version=${version}`],
          ["POST", `${T}/flowline/${saved.id}?version=${version}`],
          ["GET", `${T}/flowline/${saved.id}/versions/${version}`],
          ["GET", `${T}/flowline/${saved.id}/versions/${version}/file`],
          ["GET", `${T}/flowline/${saved.id}/versions/1/diff/${version}`],
          ["POST", `${T}/flowline/${saved.id}/versions/${version}/restore`]
        ] as const) {
          const { status } = yield* raw(path, { method })
          expect([method, path, status]).toEqual([method, path, 404])
        }
        const form = new FormData()
        form.set("id", saved.id)
        form.set("version", version)
        expect((yield* raw(`${T}/flowline/try`, { method: "POST", body: form })).status).toBe(404)
      }
      for (const version of ["0", "-1", "9007199254740992"]) {
        expect((yield* raw(`${T}/registry/metadata/large.txt?version=${version}`)).status).toBe(400)
      }
    })
  )
})
