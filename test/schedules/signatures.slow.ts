import { createHmac } from "node:crypto"
import { mkdtempSync, rmSync } from "node:fs"
import { connect } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, describe, expect, layer, it as unit } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { type Signature, signedBy, verified } from "../../src/services/schedules/Signature.ts"
import { fileAccess } from "../limits/access.ts"
import { ref, writeKeys } from "../secrets/support.ts"
import { gatewayOn, TestGateway } from "../support/gateway.ts"
import { call, firings, printed, put, saved, tenant, triggered, untilFirings } from "./support.ts"

const folder = mkdtempSync(join(tmpdir(), "flow-signed-"))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const secrets = { folder: undefined, keyFile: writeKeys(join(folder, "keys"), ["one"]) }

const hmac = (secret: string, text: string, encoding: "hex" | "base64" = "hex") =>
  createHmac("sha256", secret).update(text).digest(encoding)

const setSecret = (name: string, value: string) =>
  Effect.flatMap(TestGateway, ({ client }) => client.secrets.put({ params: { tenant, name }, payload: { value } }))

const json = { "content-type": "application/json" }
const send = (name: string, body: string, headers: Readonly<Record<string, string>>) =>
  call("POST", `hooks/${name}`, body, { ...json, ...headers })

const github = { secret: ref("GITHUB"), header: "X-Hub-Signature-256", prefix: "sha256=" }

layer(gatewayOn(fileAccess().layer, { secrets }), { excludeTestServices: true })("signed webhooks", (it) => {
  it.effect("take what is signed with the secret as it is now, and refuse all else alike", () =>
    Effect.gen(function* () {
      yield* setSecret("GITHUB", "it's a secret to everybody")
      const flowline = yield* saved(triggered)
      const made = yield* put("push", { flowline, trigger: { webhook: { signature: github } } })
      expect([made.status, made.body.trigger.webhook]).toEqual([201, { signature: github }])
      const body = '{"zen":"Ä  spaces stay",\n"n":1}'
      const signed = (secret: string, text = body) => ({ "x-hub-signature-256": `sha256=${hmac(secret, text)}` })
      const first = yield* send("push", body, signed("it's a secret to everybody"))
      expect([first.status, first.body.schedule]).toEqual([202, "push"])
      const [done] = yield* untilFirings("push", ([one]) => one?.state === "SUCCEEDED")
      expect(yield* printed(done!.execution!)).toEqual([{ zen: "Ä  spaces stay", n: 1 }])

      yield* setSecret("GITHUB", "another")
      const large = JSON.stringify({ text: "x".repeat(1024 * 1024) })
      const refused = yield* Effect.all([
        send("push", body, {}),
        send("push", body, signed("it's a secret to everybody")),
        send("push", `${body} `, signed("another")),
        send("push", body, { "x-hub-signature-256": hmac("another", body) }),
        send("push", body, { "x-hub-signature-256": "sha256=" }),
        send("push", body, { "x-hub-signature-256": `sha256=${hmac("another", body).slice(2)}` }),
        send("push", body, { "x-hub-signature": `sha256=${hmac("another", body)}` }),
        send("push", body, { authorization: `Bearer ${hmac("another", body)}` }),
        send("push", large, signed("another", large)),
        send("none", body, signed("another"))
      ])
      expect(refused.map(({ status }) => status)).toEqual(refused.map(() => 401))
      expect(new Set(refused.map(({ body }) => body.detail)).size).toBe(1)
      expect((yield* send("push", body, signed("another"))).status).toBe(202)
      // The token of the schedule is valid as well.
      expect((yield* send("push", body, { authorization: `Bearer ${made.body.token}` })).status).toBe(202)
      yield* untilFirings("push", (all) => all.length === 3 && all.every(({ state }) => state === "SUCCEEDED"))

      const { client } = yield* TestGateway
      const everything = yield* Effect.all([
        call("GET", "schedules/push"),
        call("GET", "schedules/push/firings"),
        Effect.map(client.audit.list({ params: { tenant }, query: {} }), (entries) => ({ status: 200, body: entries }))
      ])
      for (const { body } of everything) expect(JSON.stringify(body)).not.toMatch(/another|secret to everybody/)

      // Without the secret nothing is accepted, and the schedule states the reason.
      yield* client.secrets.remove({ params: { tenant, name: "GITHUB" } })
      expect((yield* send("push", body, signed("another"))).status).toBe(401)
      expect((yield* call("GET", "schedules/push")).body.fault).toMatch(/there is no secret GITHUB/)
      yield* setSecret("GITHUB", "third")
      expect((yield* send("push", body, signed("third"))).status).toBe(202)
      expect((yield* call("GET", "schedules/push")).body.fault).toBe(null)
      yield* call("DELETE", "schedules/push")
    })
  )

  it.effect("fire once for what is signed with a time, also when it is sent again, and not when it is old", () =>
    Effect.gen(function* () {
      yield* setSecret("STRIPE", "whsec")
      const flowline = yield* saved(triggered)
      const header = "Stripe-Signature"
      const signature = { secret: ref("STRIPE"), header, prefix: "v1=", timestamp: { header, prefix: "t=" } }
      yield* put("paid", { flowline, trigger: { webhook: { signature } } })
      const sql = yield* SqlClient.SqlClient
      const [{ now } = { now: 0 }] = yield* sql<{ now: number }>`
        select extract(epoch from clock_timestamp())::integer as now`
      const at = (time: number | string, body: string, of = time) =>
        `t=${time},v1=${hmac("old", body)},v1=${hmac("whsec", `${of}.${body}`)},v0=${hmac("whsec", body)}`
      const body = '{"amount":1}'
      const first = yield* send("paid", body, { [header]: at(now, body) })
      const again = yield* send("paid", body, { [header]: at(now, body), "idempotency-key": "another" })
      expect([first.status, again.status, again.body.id]).toEqual([202, 202, first.body.id])
      expect((yield* send("paid", body, { [header]: at(now - 1, body) })).status).toBe(202)
      expect(yield* firings("paid")).toHaveLength(2)
      for (const wrong of [
        at(now - 3600, body),
        at(now + 3600, body),
        at(now, body, now - 1),
        at("soon", body),
        at("", body)
      ]) {
        expect((yield* send("paid", body, { [header]: wrong })).status).toBe(401)
      }
      yield* call("DELETE", "schedules/paid")
    })
  )

  it.effect("wait for few bodies of unknown senders, and not for long", () =>
    Effect.gen(function* () {
      yield* setSecret("GITHUB", "patient")
      const flowline = yield* saved(triggered)
      const made = yield* put("slow", { flowline, trigger: { webhook: { signature: github } } })
      const { port } = new URL((yield* TestGateway).url)
      const head =
        `POST /v1/${tenant}/hooks/slow HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n` +
        `Content-Length: 10\r\nX-Hub-Signature-256: sha256=${"a".repeat(64)}\r\n\r\n{`
      const sockets = Array.from({ length: 40 }, () => {
        const socket = connect(Number(port), "127.0.0.1")
        socket.on("error", () => {})
        socket.write(head)
        return socket
      })
      // Who has the token does not wait for them.
      expect((yield* send("slow", "{}", { authorization: `Bearer ${made.body.token}` })).status).toBe(202)
      const first = sockets.map(
        (socket) => new Promise<string>((done) => socket.once("data", (data) => done(String(data))))
      )
      expect(yield* Effect.promise(() => Promise.race(first))).toMatch(/^HTTP\/1\.1 401 /)
      const signed = { "x-hub-signature-256": `sha256=${hmac("patient", "{}")}` }
      expect((yield* send("slow", "{}", signed)).status).toBe(202)
      for (const socket of sockets) socket.destroy()
      expect((yield* send("slow", "{}", signed)).status).toBe(202)
      yield* call("DELETE", "schedules/slow")
    })
  )

  it.effect("are refused when they are described wrongly, without a word of what may be a secret", () =>
    Effect.gen(function* () {
      yield* setSecret("SLACK_SIGNING", "x")
      const flowline = yield* saved(triggered)
      const faults = Effect.fnUntraced(function* (signature: unknown) {
        const { status, body } = yield* put("x", { flowline, trigger: { webhook: { signature } } })
        expect(JSON.stringify(body)).not.toContain("hunter2")
        return [
          status,
          ...(body.issues ?? []).map((one: Record<string, string>) => `${one["pointer"]} ${one["detail"]}`)
        ]
      })
      const at = "/trigger/webhook/signature"
      const needed = `Expected a reference to a secret of the tenant, such as ${ref("GITHUB_WEBHOOK")}`
      const header = "X-Signature"
      expect(yield* faults({ secret: "hunter2", header })).toEqual([400, `${at}/secret ${needed}`])
      expect(yield* faults({ secret: { value: "hunter2" }, header })).toEqual([400, `${at}/secret ${needed}`])
      expect(yield* faults("hunter2")).toEqual([400, `${at} Expected an object with \`secret\` and \`header\``])
      expect(yield* faults({ secret: `hunter2${ref("SLACK_SIGNING")}`, header })).toEqual([
        400,
        `${at}/secret ${needed}`
      ])
      expect(yield* faults({ secret: ref("SLACK_SINGING"), header })).toEqual([
        400,
        `${at}/secret There is no "SLACK_SINGING" among the secrets; did you mean "SLACK_SIGNING"?`
      ])
      const secret = ref("SLACK_SIGNING")
      expect(yield* faults({ secret })).toEqual([400, `${at}/header This is required`])
      expect(yield* faults({ secret, header: "two words" })).toEqual([400, expect.stringContaining(`${at}/header`)])
      expect(yield* faults({ secret, header, encoding: "base32" })).toEqual([
        400,
        expect.stringContaining(`${at}/encoding`)
      ])
      expect(yield* faults({ secret, header, prefx: "v0=" })).toEqual([
        400,
        expect.stringMatching(/did you mean "prefix"/)
      ])
      expect(yield* faults({ secret, header, timestamp: { header: "X-Time", signed: "{body}" } })).toEqual([
        400,
        expect.stringMatching(/signature\/timestamp\/signed .*\{timestamp\}/)
      ])
      expect((yield* call("GET", "schedules/x")).status).toBe(404)
    })
  )
})

const bytes = (text: string) => new TextEncoder().encode(text)

describe("signatures", () => {
  unit.effect.prop(
    "hold for the bytes and the secret that they were made of, as each sender writes them, and for no others",
    {
      secret: Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(20)),
      body: Schema.String.check(Schema.isMaxLength(50)),
      flip: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 255 }))
    },
    ({ secret, body, flip }) =>
      Effect.gen(function* () {
        const now = 1_700_000_000
        const senders: ReadonlyArray<
          readonly [Partial<Signature>, string, "hex" | "base64", (text: string) => string]
        > = [
          [{ prefix: "sha256=" }, body, "hex", (text) => `sha256=${text}`],
          [{ encoding: "base64" }, body, "base64", (text) => text],
          [{ prefix: "v1,", encoding: "base64" }, body, "base64", (text) => `v1,${"A".repeat(43)}= v1,${text}`],
          [{ prefix: "HMAC ", encoding: "base64" }, body, "base64", (text) => `HMAC ${text}`],
          [{ prefix: "$^.*" }, body, "hex", (text) => `$^.*${text}`],
          [
            { prefix: "v0=", timestamp: { header: "X-Time", signed: "v0:{timestamp}:{body}" } },
            `v0:${now}:${body}`,
            "hex",
            (text) => `v0=${text}`
          ]
        ]
        for (const [how, signed, encoding, written] of senders) {
          const signature = { secret: "", header: "X-Signature", ...how }
          const check = Effect.fnUntraced(function* (value: string, key = secret, sent = bytes(body)) {
            const headers = { "x-signature": value, "x-time": String(now) }
            const found = signedBy(signature, headers, now * 1000)
            return found !== undefined && (yield* verified(found, key, sent)) !== undefined
          })
          const value = written(hmac(secret, signed, encoding))
          expect([how, yield* check(value)]).toEqual([how, true])
          expect(yield* check(value, `${secret}!`)).toBe(false)
          expect(yield* check(value, secret, bytes(`${body}\n`))).toBe(false)
          const mac = createHmac("sha256", secret).update(signed).digest()
          mac[flip % 32] = mac[flip % 32]! ^ (1 << (flip % 8))
          expect(yield* check(written(mac.toString(encoding)))).toBe(false)
        }
      }),
    { arbitrary: { runs: 100 } }
  )
})
