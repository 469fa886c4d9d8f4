import { assert, describe, it as each, layer } from "@effect/vitest"
import { Effect, Layer, Tracer } from "effect"
import { plainHeaders } from "../../src/layers/http/server/PlainHeaders.ts"
import { accessFile, hashOf } from "../access/accessFiles.ts"
import { basic, guarded, replaceAccess } from "../access/support.ts"
import { memoryGateway, TestGateway } from "../support/gateway.ts"
import { until } from "../support/process.ts"
import { random } from "../support/random.ts"
import { exchange } from "../support/socket.ts"

type Fields = ReadonlyArray<readonly [name: string, value: string]>

const fixed = "/v1/platform/tenant"
/** The same answer by way of the routes, which know this address by its path only. */
const routed = `${fixed}?`
const host = ["Host", "127.0.0.1"] as const

const ask = (method: string, path: string, fields: Fields) =>
  Effect.flatMap(TestGateway, ({ url }) => {
    const lines = [...fields, ["Connection", "close"]].map(([name, value]) => `${name}: ${value}\r\n`)
    const head = `${method} ${path} HTTP/1.1\r\n${lines.join("")}\r\n`
    return Effect.promise(() => exchange(Number(new URL(url).port), head))
  })

/** An answer without the parts that differ between two answers. A problem names ids and the path. */
const told = ({ status, headers, body }: Effect.Success<ReturnType<typeof ask>>, named: boolean) => ({
  status,
  headers: [...headers].flatMap(([name, value]) => {
    if (name === "date" || name === "x-trace-id" || (name === "x-request-id" && !named)) return [name]
    return [`${name}: ${name === "content-length" && status >= 400 ? "" : value}`]
  }),
  body: status < 400 ? body.toString("latin1") : ""
})

/** Counts the requests that go through the routes: each has a span. */
const counting = () => {
  const seen = { spans: 0 }
  const tracer = Tracer.make({
    span: (options) => {
      if (options.kind === "server") seen.spans++
      return new Tracer.NativeSpan(options)
    }
  })
  return { seen, layer: Layer.succeed(Tracer.Tracer, tracer) }
}

const page = "https://app.example.com"
const alice = { stored: hashOf("secret"), roles: { mytenant: "viewer" } }
const nobody = { stored: hashOf("other"), roles: {} }
const users = { alice, nobody }
const unlimited = { limits: { requestsPerSecond: null, requestsPerSecondOfPrincipal: null } }
const limited = { limits: { requestsPerSecond: null, requestsPerSecondOfPrincipal: 1, burstSeconds: 3600 } }

const as = (name: string, password: string) => ["Authorization", basic(name, password)] as const
const authorized = [host, as("alice", "secret")] as const

layer(guarded(accessFile(users, unlimited), { cors: [page] }), { excludeTestServices: true })(
  "a fixed answer",
  (it) => {
    it.effect("is what the routes say, whatever the headers of the request", () =>
      Effect.gen(function* () {
        yield* ask("GET", fixed, authorized)
        const known = yield* ask("GET", fixed, authorized)
        const tag = known.headers.get("etag") ?? ""
        assert.notStrictEqual(tag, "")
        yield* ask("GET", fixed, [host, as("nobody", "other")])
        const choices: ReadonlyArray<Fields> = [
          [host],
          [["Host", "evil.example"]],
          [["host", "localhost:1"]],
          [as("alice", "secret")],
          [as("alice", "secret")],
          [as("nobody", "other")],
          [["authorization", "Basic !"]],
          [["Authorization", "Bearer fgk_none"]],
          [["X-API-Key", "fgk_none"]],
          [["Origin", page]],
          [["Origin", "https://evil.example"]],
          ...["gzip", "zstd, br", "identity;q=0", "*;q=0", ""].map((value) => [["Accept-Encoding", value]] as const),
          ...[tag, "*", '"other"', `W/${tag}`].map((value) => [["If-None-Match", value]] as const),
          [["If-Modified-Since", "Thu, 01 Jan 2026 00:00:00 GMT"]],
          [["Range", "bytes=0-1"]],
          [["X-Request-Id", "mine"]],
          [["x-request-id", "not a word"]],
          [["Cookie", "flow_session=none"]],
          [["X-Requested-With", "console"]],
          [["X-Forwarded-Host", "evil.example"]],
          [["X-Forwarded-For", "192.0.2.1"]],
          [["Accept", "text/html"]],
          [["User-Agent", "curl"]],
          [["Cache-Control", "no-cache"]],
          [["Content-Length", "0"]],
          [["Upgrade", "h2c"]],
          [["Traceparent", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"]]
        ]
        const bases: ReadonlyArray<Fields> = [[], authorized, [as("alice", "secret")], [host, as("nobody", "other")]]
        const { below, shuffled } = random()
        const statuses = new Map<number, number>()
        for (let round = 0; round < 400; round++) {
          const base = bases[below(bases.length)]!
          const fields = shuffled([...base, ...shuffled(choices).slice(0, below(4)).flat()])
          const method = below(8) === 0 ? "HEAD" : "GET"
          const ids = fields.filter(([name]) => /^x-request-id$/i.test(name)).map(([, value]) => value)
          const named = ids.length === 1 && ids[0] === "mine"
          const [mine, theirs] = [yield* ask(method, fixed, fields), yield* ask(method, routed, fields)]
          assert.deepStrictEqual(told(mine, named), told(theirs, named), JSON.stringify([method, fields]))
          statuses.set(mine.status, (statuses.get(mine.status) ?? 0) + 1)
        }
        assert.includeMembers([...statuses.keys()], [200, 304, 400, 401, 403, 421])
      })
    )

    it.effect("is refused to a reader who may no longer have it", () =>
      Effect.gen(function* () {
        assert.strictEqual((yield* ask("GET", fixed, authorized)).status, 200)
        yield* replaceAccess(accessFile({ alice: { ...alice, roles: {} } }, unlimited))
        yield* until(
          Effect.map(ask("GET", fixed, authorized), ({ status }) => status),
          (status) => status === 403
        )
        yield* replaceAccess(accessFile({ nobody }, unlimited))
        yield* until(
          Effect.map(ask("GET", fixed, authorized), ({ status }) => status),
          (status) => status === 401
        )
      })
    )
  }
)

layer(guarded(accessFile(users, limited)), { excludeTestServices: true })("a fixed answer with a rate", (it) => {
  it.effect("tells and counts the rate of its reader", () =>
    Effect.gen(function* () {
      const left = ({ headers }: Effect.Success<ReturnType<typeof ask>>) =>
        Number(/r=(\d+)/.exec(headers.get("ratelimit") ?? "")?.[1])
      const before = yield* ask("GET", fixed, authorized)
      for (let sent = 0; sent < 400; sent += 100) {
        yield* Effect.all(
          Array.from({ length: 100 }, () => ask("GET", fixed, authorized)),
          { concurrency: 16 }
        )
      }
      const after = yield* ask("GET", fixed, authorized)
      assert.match(after.headers.get("ratelimit-policy") ?? "", /^"principal";q=3600;/)
      // It is told in steps of a hundredth.
      assert.isAtLeast(left(before) - left(after), 300)
    })
  )
})

const { seen, layer: traced } = counting()

layer(Layer.provide(memoryGateway(), traced), { excludeTestServices: true })("a request for a fixed answer", (it) => {
  it.effect("needs no route but the first time, and where it asks for something else", () =>
    Effect.gen(function* () {
      const spans = Effect.fnUntraced(function* (path: string, fields: Fields) {
        const before = seen.spans
        const { status } = yield* ask("GET", path, [host, ...fields])
        return [status, seen.spans - before]
      })
      for (const path of [fixed, "/health/live"]) {
        assert.deepStrictEqual(yield* spans(path, []), [200, 1])
        assert.deepStrictEqual(yield* spans(path, []), [200, 0])
        assert.deepStrictEqual(yield* spans(path, [["User-Agent", "curl"]]), [200, 0])
        assert.deepStrictEqual(yield* spans(path, [["Accept-Encoding", "gzip"]]), [200, 0])
        assert.deepStrictEqual(yield* spans(path, [["Accept-Encoding", "gzip;q=0"]]), [200, 1])
        assert.deepStrictEqual(yield* spans(path, [["Cookie", "a=b"]]), [200, 1])
        assert.deepStrictEqual(yield* spans(path, []), [200, 0])
      }
      assert.deepStrictEqual(yield* spans(fixed, [["If-None-Match", "*"]]), [304, 1])
    })
  )
})

describe("the headers of a plain request", () => {
  each("are known as clients write them, and nothing else is", () => {
    const plain = (...raw: ReadonlyArray<string>) => plainHeaders(["Host", "a", ...raw])
    assert.deepStrictEqual(plain(), {
      ...{ host: "a", authorization: undefined, "x-api-key": undefined, "x-request-id": undefined }
    })
    assert.strictEqual(plain("X-API-Key", "k")?.["x-api-key"], "k")
    assert.strictEqual(plain("X-Request-ID", "r")?.["x-request-id"], "r")
    assert.strictEqual(plain("authorization", "c", "User-Agent", "curl")?.authorization, "c")
    for (const raw of [
      ["host", "b"],
      ["X-Other", "x"],
      ["Accept-Encoding", "identity;q=0"],
      ["Content-Length", "0"]
    ]) {
      assert.isUndefined(plain(...raw))
    }
    assert.isUndefined(plainHeaders(["Accept", "*/*"]))
  })
})
