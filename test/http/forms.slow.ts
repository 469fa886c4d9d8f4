import { createHash } from "node:crypto"
import { expect, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { isAlive, type Running, site } from "../support/process-gateway.ts"
import { generator, tenantOf } from "../support/runs.ts"
import { type RawAnswer, rawRequest } from "../support/socket.ts"

class Gateway extends Context.Service<Gateway, Running>()("test/http/Gateway") {
  static readonly layer = Layer.effect(
    Gateway,
    Effect.flatMap(site(), (here) => Effect.promise(() => here.start()))
  )
}

const disposition = 'Content-Disposition: form-data; name="file"; filename="a.yaml"'
const good = generator(1, 1000)
const part = (head: string, content = good, boundary = "x") => `--${boundary}\r\n${head}\r\n\r\n${content}\r\n`
const form = (head: string, content = good) => `${part(head, content)}--x--\r\n`

const statusOf = (answer: RawAnswer, name: string) => {
  if (answer.status < 400) return answer.status
  expect([name, answer.headers.get("content-type")]).toEqual([name, "application/problem+json"])
  const problem = JSON.parse(answer.body.toString())
  expect(problem).toMatchObject({ status: answer.status, traceId: expect.stringMatching(/^[0-9a-f]{32}$/) })
  expect(JSON.stringify(problem)).not.toMatch(/node_modules|\bat \S+ \(|MultipartError/)
  return answer.status
}

const other = (count: number) =>
  Array.from({ length: count }, (_, index) => part(`Content-Disposition: form-data; name="p${index}"`, "v")).join("")

/** Bodies of `save`, with the status that each must get. */
const bodies: Readonly<Record<string, readonly [status: number, body: string, type?: string]>> = {
  "as it should be": [200, form(disposition)],
  "a JSON part": [
    200,
    form(
      `${disposition.replace(".yaml", ".json")}\r\nContent-Type: application/json`,
      JSON.stringify({
        runtime: "stream",
        dag: [{ type: "generator_input", settings: { messages: ["a"], count: 1 } }]
      })
    )
  ],
  "a text field in place of the file": [200, form('Content-Disposition: form-data; name="file"')],
  "a quoted boundary": [200, form(disposition), 'multipart/form-data; charset=utf-8; boundary="x"'],
  "a preamble and an epilogue": [200, `before\r\n${form(disposition)}after`],
  "parts that nobody asked for": [400, other(20) + form(disposition)],
  "no part": [400, "--x--\r\n"],
  "another part": [400, form('Content-Disposition: form-data; name="other"')],
  "the part twice": [400, part(disposition) + form(disposition)],
  "no name": [400, form("Content-Disposition: form-data")],
  "an empty name": [400, form('Content-Disposition: form-data; name=""')],
  "no disposition": [400, form("Content-Type: text/plain")],
  "no boundary": [400, form(disposition), "multipart/form-data"],
  "an empty boundary": [400, form(disposition), "multipart/form-data; boundary="],
  "a boundary of 10000 characters": [400, form(disposition), `multipart/form-data; boundary=${"x".repeat(10_000)}`],
  "another boundary": [400, form(disposition), "multipart/form-data; boundary=y"],
  "no end": [400, part(disposition)],
  "an end in the head": [400, "--x\r\nContent-Dispo"],
  "an empty body": [400, ""],
  "line feeds alone": [400, form(disposition).replaceAll("\r\n", "\n")],
  "a head that begins with a blank": [400, form(` ${disposition}`)],
  "the same in a browser's dress": [
    400,
    '------WebKitFormBoundaryoo6vortfDzBsDiro\r\n Content-Disposition: form-data; name="bildbeschreibung"\r\n\r\n\r\n------WebKitFormBoundaryoo6vortfDzBsDiro--',
    "multipart/form-data; boundary=----WebKitFormBoundaryoo6vortfDzBsDiro"
  ],
  "a NUL in the file's name": [400, form(disposition.replace("a.yaml", "a\0.yaml"))],
  "a head of a mebibyte": [400, form(`${disposition}\r\nX-A: ${"a".repeat(1 << 20)}`)],
  "5000 parts": [413, `${other(5000)}--x--\r\n`],
  "a file that is too large": [413, form(disposition, "#".repeat(5 << 20))],
  "a large part that nobody asked for": [
    400,
    part('Content-Disposition: form-data; name="o"', "a".repeat(1 << 20)) + form(disposition)
  ],
  JSON: [400, "{}", "application/json"],
  "no type": [400, form(disposition), ""]
}

layer(Gateway.layer, { excludeTestServices: true })("forms", (it) => {
  it.effect("are taken when they are well-formed, and refused with the reason when not", () =>
    Effect.gen(function* () {
      const { port, pid, url } = yield* Gateway
      yield* Effect.promise(async () => {
        const boundary = "multipart/form-data; boundary=x"
        for (const path of ["flowline/save", "flowline"]) {
          for (const [name, [status, body, type = boundary]] of Object.entries(bodies)) {
            const bytes = Buffer.from(body, "latin1")
            const answer = await rawRequest(port, "POST", `/v1/mytenant/${path}`, { "Content-Type": type }, bytes)
            expect([path, name, statusOf(answer, name)], answer.body.toString()).toEqual([path, name, status])
          }
        }
        expect(isAlive(pid)).toBe(true)
        const saved = await tenantOf(url).get<ReadonlyArray<unknown>>("flowline")
        expect(saved).toHaveLength(Object.values(bodies).filter(([status]) => status === 200).length)
      })
    })
  )

  it.effect("are held against their digests, and tell all their faults at once", () =>
    Effect.gen(function* () {
      const { port } = yield* Gateway
      yield* Effect.promise(async () => {
        const send = (body: string, headers: Record<string, string> = {}) =>
          rawRequest(
            port,
            "POST",
            "/v1/mytenant/flowline/save",
            {
              "Content-Type": "multipart/form-data; boundary=x",
              ...headers
            },
            body
          )
        const digest = (text: string) => `sha-256=:${createHash("sha256").update(text).digest("base64")}:`
        const body = form(disposition)
        expect((await send(body, { "Content-Digest": digest(body) })).status).toBe(200)
        expect((await send(form(`${disposition}\r\nContent-Digest: ${digest(good)}`))).status).toBe(200)
        for (const wrong of [digest("other"), "sha-256=:AAAA:", "sha-256=:no:base64:", `sha-256=${"0".repeat(64)}`]) {
          expect(statusOf(await send(body, { "Content-Digest": wrong }), wrong)).toBe(400)
          expect(statusOf(await send(form(`${disposition}\r\nContent-Digest: ${wrong}`)), wrong)).toBe(400)
        }
        const faulty = "runtime: stream\ndag:\n  - type: nothing\n  - type: show\n    settings: { limit: x }\n"
        const { issues } = JSON.parse((await send(form(disposition, faulty))).body.toString())
        expect(issues.length).toBeGreaterThan(2)
        for (const issue of issues)
          expect(issue).toMatchObject({ detail: expect.any(String), line: expect.any(Number) })
      })
    })
  )

  it.effect("that are retried with a key are done once, however many come at once", () =>
    Effect.gen(function* () {
      const { url } = yield* Gateway
      yield* Effect.promise(async () => {
        const tenant = tenantOf(url)
        const before = (await tenant.get<ReadonlyArray<unknown>>("flowline")).length
        const body = form(disposition)
        const send = (key: string, content = body) =>
          fetch(`${url}/v1/mytenant/flowline/save`, {
            method: "POST",
            headers: { "content-type": "multipart/form-data; boundary=x", "idempotency-key": key },
            body: content
          })
        const all = await Promise.all(Array.from({ length: 20 }, () => send("at-once")))
        const statuses = all.map(({ status }) => status)
        expect(statuses.filter((status) => status !== 200 && status !== 409)).toEqual([])
        const first = await Promise.all(all.filter(({ ok }) => ok).map((response) => response.text()))
        const again = await send("at-once")
        expect(again.headers.get("idempotency-replayed")).toBe("true")
        expect(new Set([...first, await again.text()]).size).toBe(1)
        expect((await tenant.get<ReadonlyArray<unknown>>("flowline")).length).toBe(before + 1)
        expect((await send("at-once", form(disposition, generator(2, 10)))).status).toBe(422)
        for (const key of ["x".repeat(256), "with blank"]) expect((await send(key)).status).toBe(400)
        expect((await send("failing", form(disposition, "a: ["))).status).toBe(400)
        expect((await send("failing")).status).toBe(200)
      })
    })
  )
})
