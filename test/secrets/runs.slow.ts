import { chmodSync, mkdirSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { configuration } from "../support/conf.ts"
import { freshDatabase } from "../support/postgres.ts"
import { eventually } from "../support/process.ts"
import { isAlive, type Running, runnersOf, site } from "../support/process-gateway.ts"
import { formOf, tenantOf } from "../support/runs.ts"
import { receiver, ref, writeKeys } from "./support.ts"

const sending = (url: string, rate = 1000, count = 1) => `
runtime: stream
dag:
  - { type: generator_input, settings: { messages: [ a ], count: ${count}, rate: ${rate} }, publish: [ { stream: out } ] }
  - type: http_output
    settings: { url: ${url}, headers: { Authorization: "Bearer ${ref("TOKEN")}" }, retry_seconds: 1 }
    subscribe: [ { component: generator_input, stream: out } ]
`

const put = async ({ url }: Running, name: string, value: string) => {
  const answer = await fetch(`${url}/v1/mytenant/secrets/${name}`, {
    method: "PUT",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ value })
  })
  expect([answer.status, await answer.text()]).toEqual([204, ""])
}

interface Entry {
  readonly name: string
  readonly source: string
  readonly keyId?: string
}

/** A site with a file of keys, and a receiver that runs may reach. */
const setting = Effect.gen(function* () {
  const conf = yield* configuration
  const to = yield* receiver
  const here = yield* site()
  const database = Redacted.value(yield* freshDatabase)
  const folder = join(here.data, "..", `${here.data.split("/").at(-1)}-keys`)
  yield* Effect.acquireRelease(
    Effect.sync(() => mkdirSync(folder)),
    () => Effect.sync(() => rmSync(folder, { recursive: true }))
  )
  const keys = writeKeys(join(folder, "keys"), ["first"])
  const variables = {
    FLOW_CONF: conf.root,
    FLOW_DATABASE_URL: database,
    FLOW_SECRETS_KEY_FILE: keys,
    FLOW_OUTBOUND_ALLOW: "127.0.0.1",
    FLOW_LOG: "info"
  }
  return { conf, to, here, keys, variables, start: () => here.start(variables) }
})

const authorizations = (
  received: ReadonlyArray<{ readonly headers: { readonly authorization?: string | undefined } }>
) => received.map(({ headers }) => headers.authorization)

describe("runs with secrets", () => {
  it.live("have them again when another gateway goes on after a kill", () =>
    Effect.gen(function* () {
      const { to, start } = yield* setting
      yield* Effect.promise(async () => {
        let gateway = await start()
        await put(gateway, "TOKEN", "first-value")
        const release = to.hold()
        const id = await tenantOf(gateway.url).run(sending(to.url))
        await eventually("the first request", () => to.received.length > 0)
        const runners = runnersOf(gateway.pid)
        await gateway.kill("SIGKILL")
        await eventually("the end of the run", () => !runners.some(isAlive))
        release()
        gateway = await start()
        expect(await tenantOf(gateway.url).ended(id)).toMatchObject({ state: "SUCCEEDED" })
        expect(to.received.length).toBeGreaterThan(1)
        expect(new Set(authorizations(to.received))).toEqual(new Set(["Bearer first-value"]))
      })
    })
  )

  it.live("have the value of their start, and fail with the places where a missing one was looked for", () =>
    Effect.gen(function* () {
      const { to, start } = yield* setting
      yield* Effect.promise(async () => {
        const gateway = await start()
        const tenant = tenantOf(gateway.url)
        const form = formOf(sending(to.url))
        const saved = (await (
          await fetch(`${gateway.url}/v1/mytenant/flowline/save`, { method: "POST", body: form })
        ).json()) as { readonly id: string; readonly warnings: ReadonlyArray<string> }
        expect(saved.warnings).toEqual(['http_output: there is no secret "TOKEN" yet: runs fail without it'])
        const missing = await tenant.ended(await tenant.execute(saved.id))
        expect(missing).toMatchObject({
          state: "FAILED",
          error:
            "http_output: there is no secret TOKEN: it is not in the store of secrets, and not in the access file below " +
            "tenants.mytenant.secrets"
        })
        for (const value of ["one-value", "another-value"]) {
          await put(gateway, "TOKEN", value)
          expect(await tenant.ended(await tenant.execute(saved.id))).toMatchObject({ state: "SUCCEEDED" })
        }
        expect(authorizations(to.received)).toEqual(["Bearer one-value", "Bearer another-value"])
        await put(gateway, "HOOK", `${to.url}/of-a-secret?key=a-value`)
        const hook = sending(`"${ref("HOOK")}"`)
        expect(await tenant.ended(await tenant.run(hook))).toMatchObject({ state: "SUCCEEDED" })
        expect(to.received.at(-1)?.url).toBe("/of-a-secret?key=a-value")
        // Only the run finds out that a value is none that its setting can have.
        await put(gateway, "HOOK", "no-address-of-a-server")
        await put(gateway, "TOKEN", "two-lines\nof-a-value")
        for (const text of [hook, sending(to.url)]) {
          const refused = await tenant.ended(await tenant.run(text))
          expect(refused).toMatchObject({ state: "FAILED", error: expect.stringMatching(/^http_output: /) })
          expect(refused.error).not.toMatch(/no-address|two-lines|of-a-value/)
        }
        await put(gateway, "TOKN", "a-value")
        const gone = await fetch(`${gateway.url}/v1/mytenant/secrets/TOKEN`, { method: "DELETE" })
        expect(gone.status).toBe(204)
        expect((await fetch(`${gateway.url}/v1/mytenant/secrets/TOKEN`, { method: "DELETE" })).status).toBe(404)
        expect((await fetch(`${gateway.url}/v1/mytenant/secrets/token`, { method: "DELETE" })).status).toBe(400)
        const again = await fetch(`${gateway.url}/v1/mytenant/flowline/save`, {
          method: "POST",
          body: formOf(sending(to.url))
        })
        expect(await again.json()).toMatchObject({
          warnings: ['http_output: there is no secret "TOKEN" yet; did you mean "TOKN"? Runs fail without it']
        })
      })
    })
  )

  it.live("are jobs of channels, too", () =>
    Effect.gen(function* () {
      const { conf, to, start } = yield* setting
      const channel = join(conf.folderOf("mytenant"), "channels", "sending")
      mkdirSync(channel, { recursive: true })
      writeFileSync(join(channel, "channel_structure.yaml"), "applications:\n  - { name: ticking, runtime: stream }\n")
      writeFileSync(join(channel, "ticking.yaml"), sending(to.url, 20, 1_000_000))
      yield* Effect.promise(async () => {
        const gateway = await start()
        await put(gateway, "TOKEN", "first-value")
        const act = (action: string) =>
          fetch(`${gateway.url}/v1/mytenant/channels/sending/${action}`, { method: "POST" })
        expect((await act("start")).status).toBe(201)
        await eventually("requests", () => to.received.length > 1)
        await put(gateway, "TOKEN", "second-value")
        expect((await act("stop")).status).toBe(204)
        expect((await act("start")).status).toBe(201)
        await eventually("requests with the second value", () =>
          authorizations(to.received).includes("Bearer second-value")
        )
        const status = await (await fetch(`${gateway.url}/v1/mytenant/channels/sending`)).text()
        expect(status).not.toContain("-value")
        await act("stop")
        expect(new Set(authorizations(to.received))).toEqual(new Set(["Bearer first-value", "Bearer second-value"]))
      })
    })
  )

  it.live("start while the keys change, and a faulty file of keys changes nothing", () =>
    Effect.gen(function* () {
      const { to, keys, start } = yield* setting
      yield* Effect.promise(async () => {
        const gateway = await start()
        const tenant = tenantOf(gateway.url)
        await put(gateway, "TOKEN", "the-value")
        for (let index = 0; index < 60; index++) await put(gateway, `OTHER_${index}`, "x".repeat(1000))
        const { id } = await tenant.save(sending(to.url))
        let isOver = false
        let runs = 0
        const running = (async () => {
          while (!isOver) {
            expect(await tenant.ended(await tenant.execute(id))).toMatchObject({ state: "SUCCEEDED", error: null })
            runs++
          }
        })()
        const keyIds = async () =>
          new Set((await tenant.get<ReadonlyArray<Entry>>("secrets")).map(({ keyId }) => keyId))
        const until = (key: string) =>
          eventually(`all have ${key}`, async () => (await keyIds()).size === 1 && (await keyIds()).has(key))
        writeKeys(keys, ["second", "first"])
        await until("second")
        writeKeys(keys, ["third", "second"])
        await until("third")
        const ready = async () => (await fetch(`${gateway.url}/health/ready`)).json()
        const metric = async (name: string) => {
          const text = await (await fetch(`${gateway.url}/metrics`)).text()
          return text.split("\n").filter((line) => line.startsWith(name))
        }
        expect(await metric("flow_secret_keys_valid")).toEqual(["flow_secret_keys_valid 1"])
        expect(await ready()).not.toHaveProperty("defects")
        writeFileSync(keys, "third:AAAA\nno key\n")
        await eventually("the fault is seen", async () => JSON.stringify(await ready()).includes("secretKeyFile"))
        expect(await metric("flow_secret_keys_valid")).toEqual(["flow_secret_keys_valid 0"])
        await put(gateway, "OTHER_1", "with the keys before")
        isOver = true
        await running
        expect(runs).toBeGreaterThan(0)
        writeKeys(keys, ["fourth"])
        await eventually("the keys are gone", async () => JSON.stringify(await ready()).includes("secretsWithoutKey"))
        expect(await metric("flow_secrets_stored")).toEqual(
          expect.arrayContaining([expect.stringMatching(/^flow_secrets_stored\{key="missing"\} 61$/)])
        )
        expect(await tenant.ended(await tenant.execute(id))).toMatchObject({
          state: "FAILED",
          error:
            "http_output: the stored secret TOKEN of mytenant needs the key third, which FLOW_SECRETS_KEY_FILE does not have: " +
            "add it there, or set the secret again"
        })
        await gateway.kill("SIGTERM")
        expect(gateway.stderr() + gateway.stdout()).toContain(
          "line 1: the key third has 3 bytes, expected 32; line 2: expected"
        )
      })
    })
  )

  it.live("need a file of keys without faults when the gateway starts", () =>
    Effect.gen(function* () {
      const { here, keys, variables } = yield* setting
      yield* Effect.promise(async () => {
        const secret = "c2VjcmV0LXNlY3JldA=="
        writeFileSync(keys, `# keys\n\na:${secret}\n:${secret}\na:x\n${secret}\n`)
        const refused = here.spawn(variables)
        expect((await refused.exit).code).toBe(1)
        const said = refused.stderr() + refused.stdout()
        expect(said).toContain(
          `FLOW_SECRETS_KEY_FILE: ${keys}: line 3: the key a has 13 bytes, expected 32; line 4: the key id must`
        )
        expect(said).toContain("line 5: the key id a is that of line 3; line 6: expected <key id>:<32 bytes in base64>")
        expect(said).not.toContain(secret)
        const missing = here.spawn({ ...variables, FLOW_SECRETS_KEY_FILE: `${keys}-none` })
        expect((await missing.exit).code).toBe(1)
        expect(missing.stderr() + missing.stdout()).toContain(`${keys}-none does not exist`)
        const noFolder = here.spawn({ ...variables, FLOW_SECRETS: `${keys}-none` })
        expect((await noFolder.exit).code).toBe(1)
        expect(noFolder.stderr() + noFolder.stdout()).toContain("FLOW_SECRETS: there is no folder")
        for (const mode of [0o640, 0o644]) {
          chmodSync(writeKeys(keys, ["first"]), mode)
          const gateway = await here.start(variables)
          await gateway.kill("SIGTERM")
          expect((gateway.stdout() + gateway.stderr()).includes(`chmod o= ${keys}`)).toBe(mode === 0o644)
        }
      })
    })
  )
})
