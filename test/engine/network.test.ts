import { createSocket } from "node:dgram"
import { writeFile } from "node:fs/promises"
import { createServer } from "node:http"
import { type AddressInfo, connect, createServer as createTcp } from "node:net"
import { join } from "node:path"
import { gzipSync } from "node:zlib"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { eventually } from "../support/process.ts"
import { running } from "./running.ts"
import { ended, engine, flowline, follow, node, places, printed, settings, spec } from "./support.ts"

const freePort = () =>
  new Promise<number>((resolve) => {
    const server = createTcp().listen(0, "127.0.0.1", () => {
      const { port } = server.address() as AddressInfo
      server.close(() => resolve(port))
    })
  })

/** Retries until somebody listens. */
const connected = async (port: number) => {
  for (let turn = 0; ; turn++) {
    const socket = connect(port, "127.0.0.1")
    const ok = await new Promise<boolean>((resolve) => {
      socket.once("connect", () => resolve(true))
      socket.once("error", () => resolve(false))
    })
    if (ok) return socket
    if (turn > 5000) throw new Error("nobody listens")
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

const wait = (condition: () => boolean) => Effect.promise(() => eventually("what the test waits for", condition))
const show = node("show", { limit: 1_000_000 }, "in")
const input = (type: string, given: Record<string, unknown>) => ({
  ...node(type, given),
  component: "in",
  publish: [{ stream: "out" }, { stream: "errors" }]
})
const failed = {
  ...node("show", { limit: 1_000_000 }),
  component: "failed",
  subscribe: [{ component: "in", stream: "errors" }]
}

describe("syslog_input", () => {
  it.live("takes messages over TCP from several senders, slow nodes hold them back", () =>
    Effect.gen(function* () {
      const { root } = yield* places
      const port = yield* Effect.promise(freePort)
      const limit = node("rate_limit", { records_per_second: 1000 }, "in")
      const run = yield* running(
        settings(root),
        spec(flowline([input("syslog_input", { port }), limit, node("show", { limit: 100_000 }, "rate_limit"), failed]))
      )
      const senders = Array.from({ length: 3 }, async (_, sender) => {
        const socket = await connected(port)
        for (let i = 0; i < 400; i++) {
          const text = `<13>1 - host${sender} app - - - message ${i}`
          socket.write(sender === 0 ? `${text.length} ${text}` : `${text}\n`)
        }
        await new Promise<void>((resolve) => socket.end("nonsense\n", resolve))
      })
      yield* Effect.promise(() => Promise.all(senders))
      yield* wait(() => run.records().length === 1203)
      for (let sender = 0; sender < 3; sender++) {
        const of = run.records().filter((record) => record["hostname"] === `host${sender}`)
        assert.deepStrictEqual(
          of.map((record) => record["message"]),
          Array.from({ length: 400 }, (_, i) => `message ${i}`)
        )
      }
      const wrong = run.records().filter((record) => "error" in record)
      assert.deepStrictEqual(
        wrong.map((record) => record["message"]),
        ["nonsense", "nonsense", "nonsense"]
      )
      yield* run.stop
    })
  )

  it.live("takes datagrams", () =>
    Effect.gen(function* () {
      const { root } = yield* places
      const port = yield* Effect.promise(freePort)
      const run = yield* running(
        settings(root),
        spec(flowline([input("syslog_input", { port, protocol: "udp" }), show]))
      )
      const socket = createSocket("udp4")
      yield* wait(() => {
        socket.send("<34>Oct 11 22:14:15 mymachine su: failed\n", port, "127.0.0.1")
        return run.records().length > 0
      })
      assert.strictEqual(run.records()[0]?.["message"], "failed")
      socket.close()
      yield* run.stop
    })
  )

  it.live("fails when its port is taken", () =>
    Effect.gen(function* () {
      const { root } = yield* places
      const server = createTcp()
      yield* Effect.promise(() => new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve)))
      const { port } = server.address() as AddressInfo
      const end = ended(
        yield* follow(spec(flowline([input("syslog_input", { port }), show]))).pipe(
          Effect.provide(engine(settings(root)))
        )
      )
      assert.include(end.error, `The port 127.0.0.1:${port} is in use`)
      assert.strictEqual(end.component, "in")
      server.close()
    })
  )
})

describe("http_input", () => {
  it.live("takes records, refuses what is none, and says when it is busy", () =>
    Effect.gen(function* () {
      const { root } = yield* places
      const port = yield* Effect.promise(freePort)
      const given = { port, path: "/events", max_body_bytes: 2000, max_waiting: 2 }
      const limit = node("rate_limit", { records_per_second: 40 }, "in")
      const run = yield* running(
        settings(root),
        spec(flowline([input("http_input", given), limit, node("show", { limit: 1000 }, "rate_limit"), failed]))
      )
      ;(yield* Effect.promise(() => connected(port))).destroy()
      const post = async (
        body: string | Uint8Array<ArrayBuffer>,
        type = "application/x-ndjson",
        more: Record<string, string> = {}
      ) => {
        const init = { method: "POST", body, headers: { "content-type": type, ...more } }
        const answer = await fetch(`http://127.0.0.1:${port}/events`, init)
        return { status: answer.status, body: await answer.json(), retry: answer.headers.get("retry-after") }
      }
      const send = (...given: Parameters<typeof post>) => Effect.promise(() => post(...given))
      assert.deepInclude(yield* send('{"n":1}\n{"n":12345678901234567890}\nno\n'), {
        status: 202,
        body: { accepted: 2, rejected: 1 }
      })
      assert.deepInclude(yield* send('[{"n":3},{"n":4}]', "application/json; charset=utf-8"), { status: 202 })
      assert.deepInclude(yield* send("five\nsix", "text/plain"), { body: { accepted: 2, rejected: 0 } })
      const umlaut = new Uint8Array(Buffer.from("Müller", "latin1"))
      assert.deepInclude(yield* send(umlaut, "text/plain; charset=iso-8859-1"), { status: 202 })
      const zipped = new Uint8Array(gzipSync('{"n":7}'))
      assert.strictEqual((yield* send(zipped, "application/x-ndjson", { "content-encoding": "gzip" })).status, 202)
      assert.strictEqual((yield* send("[1]", "application/json")).status, 400)
      assert.strictEqual((yield* send("no\nnor this")).status, 400)
      assert.strictEqual((yield* send("x".repeat(3000), "text/plain")).status, 413)
      const bomb = new Uint8Array(gzipSync("x".repeat(100_000)))
      assert.strictEqual((yield* send(bomb, "text/plain", { "content-encoding": "gzip" })).status, 413)
      assert.strictEqual((yield* send("x", "image/png")).status, 415)
      assert.strictEqual((yield* send("x", "text/plain", { "content-encoding": "br" })).status, 415)
      const other = yield* Effect.promise(() => fetch(`http://127.0.0.1:${port}/other`, { method: "POST", body: "x" }))
      assert.strictEqual(other.status, 404)
      const get = yield* Effect.promise(() => fetch(`http://127.0.0.1:${port}/events`))
      assert.deepStrictEqual([get.status, get.headers.get("allow")], [405, "POST"])
      const slow = '{"slow":1}\n'.repeat(10)
      const all = yield* Effect.promise(() => Promise.all(Array.from({ length: 6 }, () => post(slow))))
      const busy = all.filter(({ status }) => status === 429)
      assert.isAbove(busy.length, 0)
      assert.isTrue(busy.every(({ retry }) => retry === "1"))
      const taken = all.filter(({ status }) => status === 202).length
      assert.strictEqual(taken + busy.length, 6)
      yield* wait(() => run.records().filter((record) => record["slow"] === 1).length === taken * 10)
      assert.deepStrictEqual(
        run.records().flatMap((record) => (record["n"] === undefined ? [] : [record["n"]])),
        [1, "12345678901234567890", 3, 4, 7]
      )
      assert.deepInclude(run.records(), { message: "Müller" })
      yield* run.stop
    })
  )
})

describe("http_output", () => {
  const serving = (statuses: ReadonlyArray<number>) =>
    Effect.acquireRelease(
      Effect.promise(async () => {
        const bodies: Array<string> = []
        const taken: Array<string> = []
        /** The ids of all requests and, where they have some, of their records. */
        const ids: Array<unknown> = []
        const server = createServer((request, response) => {
          let body = ""
          ids.push(request.headers["idempotency-key"])
          request.on("data", (chunk) => {
            body += chunk
          })
          request.on("end", () => {
            const status = statuses[bodies.length] ?? 200
            bodies.push(body)
            for (const line of body.trim().split("\n")) ids.push(JSON.parse(line).id ?? ids.length)
            if (status === 0) return void request.socket.destroy()
            if (status < 300) taken.push(...body.trim().split("\n"))
            response.writeHead(status, status === 429 ? { "retry-after": "0" } : {}).end("{}")
          })
        })
        await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
        const { port } = server.address() as AddressInfo
        return { server, url: `http://127.0.0.1:${port}/in`, bodies, taken, ids }
      }),
      ({ server }) =>
        Effect.sync(() => {
          server.close()
          server.closeAllConnections()
        })
    )
  const sending = (url: string, given: Record<string, unknown> = {}) =>
    spec(
      flowline([
        {
          ...node("generator_input", { messages: [{ n: 1 }, { n: 2 }, { n: 3 }], count: 30, rate: 100_000 }),
          component: "in"
        },
        { ...node("http_output", { url, batch_records: 10, ...given }, "in"), publish: [{ stream: "errors" }] },
        { ...node("show"), subscribe: [{ component: "http_output", stream: "errors" }] }
      ])
    )

  it.live("sends every record, again where the server had trouble, and passes on what it refuses", () =>
    Effect.gen(function* () {
      const { root } = yield* places
      const { url, taken, bodies } = yield* serving([503, 0, 429, 200, 400])
      const messages = yield* follow(sending(url)).pipe(
        Effect.provide(engine(settings(root, { outbound: ["127.0.0.1"] })))
      )
      assert.strictEqual(ended(messages).outcome, "succeeded")
      assert.deepStrictEqual(new Set(bodies.slice(0, 4)).size, 1)
      assert.isAtLeast(taken.length + printed(messages).length, 30)
      assert.isAbove(printed(messages).length, 0)
      assert.include(printed(messages)[0], "the server refused it with status 400")
    })
  )

  it.live("gives requests and records the ids of the attempt before, and others to another piece of work", () =>
    Effect.gen(function* () {
      const { root, conf } = yield* places
      const { url, ids } = yield* serving([])
      const text = Array.from({ length: 30 }, (_, n) => `${JSON.stringify({ n })}\n`).join("")
      yield* Effect.promise(() => writeFile(join(conf, "samples", "in.ndjson"), text))
      const output = { url, batch_records: 10, id_field: "id" }
      const sent = flowline([
        node("file_input", { path: "samples/in.ndjson" }),
        node("http_output", output, "file_input")
      ])
      const attempt = (work: string, epoch: number, positions: Record<string, unknown> = {}) =>
        Effect.gen(function* () {
          ids.length = 0
          const run = { ...spec(sent), executionId: "run", epoch, work, origin: work, positions }
          yield* follow(run).pipe(Effect.provide(engine(settings(root, { outbound: ["127.0.0.1"] }))))
          return [...ids]
        })
      const first = yield* attempt("job@1", 1)
      assert.strictEqual(new Set(first).size, 30 + 3)
      assert.deepStrictEqual(yield* attempt("job@1", 2), first)
      // The file is read again, whatever another input has kept.
      assert.deepStrictEqual(yield* attempt("job@1", 3, { http_output: { origin: "job@1", sent: 30 } }), first)
      const other = yield* attempt("job@2", 4)
      assert.strictEqual(new Set([...first, ...other]).size, 2 * 33)
    })
  )

  it.live("fails the run when the server does not come back", () =>
    Effect.gen(function* () {
      const { root } = yield* places
      const port = yield* Effect.promise(freePort)
      const run = sending(`http://127.0.0.1:${port}/`, { retry_seconds: 0.5 })
      const end = ended(yield* follow(run).pipe(Effect.provide(engine(settings(root, { outbound: ["127.0.0.1"] })))))
      assert.strictEqual(end.component, "http_output")
      assert.match(
        end.error ?? "",
        /has not taken the records for 0.5 seconds: no connection or no timely answer \(ECONNREFUSED\)$/
      )
    })
  )
})
