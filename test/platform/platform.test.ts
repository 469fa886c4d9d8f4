import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { configuration } from "../support/conf.ts"
import { eventually } from "../support/process.ts"
import { site } from "../support/process-gateway.ts"
import { generator, tenantOf } from "../support/runs.ts"
import { rawGet } from "../support/socket.ts"

/** One gateway for all: the last test takes its configuration away. */
const started = Effect.gen(function* () {
  const { root, folderOf } = yield* configuration
  const here = yield* site({ variables: { FLOW_CONF: root, FLOW_TENANT: "othertenant" } })
  const gateway = yield* Effect.promise(() => here.start())
  const get = async (path: string) => {
    const answer = await rawGet(gateway.port, path)
    return { status: answer.status, body: JSON.parse(answer.body.toString()), text: answer.body.toString() }
  }
  return { gateway, root, folderOf, get }
})

class Platform extends Context.Service<Platform, Effect.Success<typeof started>>()("test/platform/Platform") {
  static readonly layer = Layer.effect(Platform, started)
}

layer(Platform.layer, { excludeTestServices: true })("the platform", (it) => {
  it.effect("shows its properties as they are now, and no secret in whatever form", () =>
    Effect.gen(function* () {
      const { get, root } = yield* Platform
      const properties = () => get("/v1/platform/properties")
      yield* Effect.promise(async () => {
        expect((await get("/v1/platform/tenant")).body).toEqual({ tenant: "othertenant" })
        const yaml = join(root, "platform.yaml")
        writeFileSync(
          yaml,
          `
platform: { platform_id: p1, empty: null, on: true, n: 1.5, list: [1, two, { apiKey: hush-1 }] }
db: { PASSWORD: hush-2, user_Passwd: [hush-3, { a: hush-4 }], nested: { secretStuff: { deep: hush-5 } }, port: 5432 }
tokens: [hush-6]
__proto__: { polluted: true }
"a.b": { private_key: hush-7 }
tls: { passphrase: hush-8, "ca": x, chain: [ { pin: hush-9 }, { pin: kept } ] }
credentials: hush-10
Access_Key_Id: hush-11
api_key: 12345678
masked: [ tls.passphrase, "tls.chain.0.pin", nothing.here, 7 ]
`
        )
        const { status, body, text } = await properties()
        expect(status).toBe(200)
        expect(text).not.toMatch(/hush|12345678/)
        const mask = "********"
        expect(body.platform).toEqual({
          platform_id: "p1",
          empty: null,
          on: true,
          n: 1.5,
          list: [1, "two", { apiKey: mask }]
        })
        expect(body.db).toEqual({ PASSWORD: mask, user_Passwd: mask, nested: { secretStuff: mask }, port: 5432 })
        expect(body.tls).toEqual({ passphrase: mask, ca: "x", chain: [{ pin: mask }, { pin: "kept" }] })
        expect([body.tokens, body.credentials, body.Access_Key_Id, body.api_key]).toEqual([mask, mask, mask, mask])
        expect(Object.keys(body)).toContain("__proto__")
        for (const broken of ["a: [", "- a list", "just text", "a: 1\na: 2\n", "\t:", "x: *nothing"]) {
          writeFileSync(yaml, broken)
          const answer = await properties()
          expect([broken, answer.status]).toEqual([broken, 500])
          expect(answer.body).toMatchObject({ type: "/problems/internal-error", traceId: expect.any(String) })
          expect(answer.text).not.toMatch(/platform\.yaml|YAML|\/tmp/)
        }
        rmSync(yaml)
        writeFileSync(join(root, "platform.json"), '{ "platform": { "platform_id": "json" } }')
        expect((await properties()).body).toEqual({ platform: { platform_id: "json" } })
        writeFileSync(join(root, "platform.hjson"), "platform: {\n  platform_id: hjson\n}\n")
        expect((await properties()).body).toEqual({ platform: { platform_id: "hjson" } })
        rmSync(join(root, "platform.json"))
        rmSync(join(root, "platform.hjson"))
        expect((await properties()).body).toEqual({ platform: { platform_id: "flow-standalone" } })
        // The file exists, but its content is unknown.
        symlinkSync("platform.yaml", yaml)
        expect(await properties()).toMatchObject({ status: 504, body: { storage: "data" } })
        rmSync(yaml)
      })
    })
  )

  it.effect(
    "has tenants that are the folders of the configuration, as they come and go, and see nothing of one another",
    () =>
      Effect.gen(function* () {
        const { gateway, get, root, folderOf } = yield* Platform
        yield* Effect.promise(async () => {
          const ours = tenantOf(gateway.url)
          const { id: flowline } = await ours.save(generator(2, 1000))
          const execution = await ours.execute(flowline)
          expect((await ours.ended(execution)).state).toBe("SUCCEEDED")
          for (const path of [
            `flowline/${flowline}`,
            `flowline/executions/${flowline}`,
            `flowline/executions/${execution}/events`,
            `flowline/executions/${execution}/output`,
            `flowline/${flowline}/executions/${execution}`,
            `archives/${execution}`
          ]) {
            const [theirs, never] = [await get(`/v1/othertenant/${path}`), await get("/v1/othertenant/flowline/never")]
            expect([path, theirs.status]).toEqual([path, 404])
            expect(theirs.body.title).toBe(never.body.title)
          }
          const remove = (path: string, method: string) => fetch(`${gateway.url}/v1/othertenant/${path}`, { method })
          expect((await remove(`flowline/${flowline}`, "DELETE")).status).toBe(404)
          expect((await remove(`flowline/${flowline}`, "POST")).status).toBe(404)
          expect((await remove("archives", "DELETE")).status).toBe(200)
          for (const list of ["flowline", "flowline/executions", "archives"]) {
            expect((await get(`/v1/othertenant/${list}`)).body).toEqual([])
          }
          expect((await get(`/v1/mytenant/flowline/${flowline}`)).status).toBe(200)

          expect((await get("/v1/fresh/flowline")).status).toBe(404)
          mkdirSync(folderOf("fresh"))
          expect((await get("/v1/fresh/flowline")).body).toEqual([])
          rmSync(folderOf("fresh"), { recursive: true })
          await eventually("the tenant is gone", async () => (await get("/v1/fresh/flowline")).status === 404)
          writeFileSync(join(root, "tenants", "a-file"), "")
          mkdirSync(join(root, "tenants", ".hidden"))
          for (const name of ["a-file", ".hidden"]) expect((await get(`/v1/${name}/conf`)).status).toBe(404)
        })
      })
  )

  it.effect("whose configuration is away are a 504, and there again with it; without a folder there are none", () =>
    Effect.gen(function* () {
      const { get, root } = yield* Platform
      yield* Effect.promise(async () => {
        expect((await get("/v1/mytenant/conf")).status).toBe(200)
        renameSync(root, `${root}.away`)
        await eventually("it is missed", async () => (await get("/v1/mytenant/conf")).status === 504)
        for (const path of [
          "/v1/mytenant/conf/a",
          "/v1/mytenant/flowline",
          "/v1/nobody/flowline",
          "/v1/platform/properties"
        ]) {
          // Who was a tenant a moment ago still is one, for a second.
          await eventually(`504 of ${path}`, async () => (await get(path)).status === 504)
          expect((await get(path)).body).toMatchObject({ status: 504, storage: "data" })
        }
        const ready = await get("/health/ready")
        expect([ready.status, ready.body.dependencies.configuration]).toEqual([503, "down"])
        writeFileSync(root, "a file where the folder was")
        expect((await get("/v1/platform/properties")).status).toBe(504)
        rmSync(root)
        renameSync(`${root}.away`, root)
        await eventually("it is back", async () => (await get("/v1/mytenant/conf")).status === 200)
        rmSync(join(root, "tenants"), { recursive: true })
        await eventually("there are no tenants", async () => (await get("/v1/mytenant/conf")).status === 404)
        expect((await get("/health/ready")).status).toBe(200)
      })
    })
  )
})
