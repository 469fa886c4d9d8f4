import { createServer, type RequestListener, type Server } from "node:http"
import { assert, describe, it } from "@effect/vitest"
import { Cause, Context, Effect, Layer, Logger, Redacted, Stream } from "effect"
import { Blobs } from "../../src/drivers/blobs/Blobs.ts"
import { s3Address } from "../../src/drivers/blobs/s3/S3Address.ts"
import * as S3 from "../../src/drivers/blobs/s3/S3Blobs.ts"
import { StorageUnreachable } from "../../src/errors/StorageUnreachable.ts"
import { startFailure } from "../../src/layers/StartFailure.ts"
import type { S3Blobs } from "../../src/protocol/Places.ts"
import { cut, noise } from "./bytes.ts"

const deadline = 500
const aws = { accessKeyId: "key", secretAccessKey: "secret-word" }

const reasonOf = (address: string, given: Parameters<typeof s3Address>[1] = aws): string => {
  try {
    s3Address(address, given)
    return "accepted"
  } catch (error) {
    return String(error)
  }
}

describe("the address of an S3 storage", () => {
  it("names bucket, prefix, server and region", () => {
    const { credentials, ...place } = s3Address("s3://my.bucket/a/b/?endpoint=http://localhost:9000/&region=x-1", aws)
    assert.deepStrictEqual(place, {
      kind: "s3",
      bucket: "my.bucket",
      prefix: "a/b",
      endpoint: "http://localhost:9000",
      region: "x-1",
      forcePathStyle: true
    })
    assert.deepStrictEqual(Redacted.value(credentials), aws)
  })

  it("leaves to the AWS variables what it does not say", () => {
    const place = s3Address("s3://bucket", { ...aws, sessionToken: "token", region: "eu-west-1" })
    assert.deepInclude(place, { prefix: "", endpoint: undefined, region: "eu-west-1", forcePathStyle: false })
    assert.strictEqual(Redacted.value(place.credentials).sessionToken, "token")
    const other = s3Address("s3://bucket?pathStyle=false", { ...aws, endpoint: "https://store.example" })
    assert.deepInclude(other, { endpoint: "https://store.example", region: "us-east-1", forcePathStyle: false })
  })

  it("may hold the credentials, and shows them to nobody", () => {
    const place = s3Address("s3://a%2Fb:c%40d@bucket?region=x", {})
    assert.deepStrictEqual(Redacted.value(place.credentials), { accessKeyId: "a/b", secretAccessKey: "c@d" })
    assert.notInclude(JSON.stringify(place) + String(place.credentials), "c@d")
  })

  it("is refused with a reason that repeats nothing of it", () => {
    const cases = [
      ["s3://", /bucket/],
      ["s3:///prefix", /bucket/],
      ["s3://b", /bucket/],
      ["s3://bucket/a b?region=x", /prefix/],
      ["s3://bucket/a/../b?region=x&x=1", /parameters/],
      ["s3://bucket?region=x&endpoint=ftp://host", /endpoint/],
      ["s3://bucket?region=x&endpoint=http://key:secret-word@host", /endpoint/],
      ["s3://bucket?region=x&pathStyle=yes", /pathStyle/],
      ["s3://bucket", /region/],
      ["s3://key:secret-word@bucket?port=1", /parameters/],
      ["s3://key@bucket?region=x", /needs its secret/],
      ["s3://%zz:secret-word@bucket?region=x", /./]
    ] as const
    for (const [address, reason] of cases) {
      assert.match(reasonOf(address), reason, address)
      assert.notInclude(reasonOf(address), "secret-word")
      assert.notStrictEqual(reasonOf(address), "accepted", address)
    }
    assert.match(reasonOf("s3://bucket?region=x", {}), /AWS_ACCESS_KEY_ID/)
  })
})

const listening = (listener: RequestListener) =>
  Effect.acquireRelease(
    Effect.callback<Server>((resume) => {
      const server = createServer(listener).listen(0, "127.0.0.1", () => resume(Effect.succeed(server)))
    }),
    (server) =>
      Effect.callback<void>((resume) => {
        server.closeAllConnections()
        server.close(() => resume(Effect.void))
      })
  )

const placeOf = (server: Server): S3Blobs => {
  const address = server.address()
  const port = typeof address === "object" && address !== null ? address.port : 0
  return s3Address(`s3://bucket/prefix?endpoint=http://127.0.0.1:${port}`, aws)
}

/** The blobs of a server that answers everything in one way. */
const against = (listener: RequestListener) =>
  Effect.gen(function* () {
    const config = S3.S3Config.layer(placeOf(yield* listening(listener)), deadline)
    return Context.get(yield* Layer.build(Layer.fresh(S3.runLayer).pipe(Layer.provide(config))), Blobs)
  })

const error = (code: string) => `<?xml version="1.0"?><Error><Code>${code}</Code><Message>no</Message></Error>`
const answer =
  (status: number, body: string, headers: Record<string, string> = {}): RequestListener =>
  (request, response) => {
    request.resume()
    response.writeHead(status, headers).end(body)
  }

const hash = "a".repeat(64)
const everything = (blobs: Blobs["Service"]): ReadonlyArray<Effect.Effect<unknown, unknown>> => [
  blobs.write("one", cut(noise(10))),
  blobs.write("one", cut(noise(9 * 1024 * 1024))),
  blobs.size("one", hash),
  Effect.flatMap(blobs.read("one", hash), Stream.runDrain),
  blobs.read("one", hash, { start: 0, end: 0 }),
  blobs.remove("one", hash, Date.now()),
  Stream.runCollect(blobs.list("one")),
  blobs.health
]

describe("an S3 server", () => {
  const servers: ReadonlyArray<readonly [string, RequestListener]> = [
    ["forbids everything", answer(403, error("AccessDenied"))],
    ["has no such bucket", answer(404, error("NoSuchBucket"))],
    ["has an error of its own", answer(500, error("InternalError"))],
    ["is too busy", answer(503, error("SlowDown"))],
    ["is something else", answer(404, "<html>Not here</html>", { "content-type": "text/html" })],
    ["hides its error in a success", answer(200, error("InternalError"), { "content-type": "application/xml" })],
    ["speaks nonsense", answer(200, "{}", { "content-length": "2" })],
    ["cuts every answer off", (_, response) => void response.socket?.destroy()],
    ["says nothing", () => {}],
    ["stops after the head", (_, response) => void response.writeHead(200, { "content-length": "100" }).write("x")]
  ]

  // Some of their wrong answers cannot be detected.
  const liars = ["hides its error in a success", "speaks nonsense"]

  for (const [what, listener] of servers) {
    it.live(`that ${what} fails what needs it, without end of waiting`, () =>
      Effect.gen(function* () {
        const blobs = yield* against(listener)
        const results = yield* Effect.forEach(everything(blobs), Effect.exit, { concurrency: "unbounded" }).pipe(
          Effect.provide(Logger.layer([]))
        )
        results.forEach((exit, index) => {
          if (exit._tag === "Success") assert.include(liars, what, `${index}`)
          else assert.instanceOf(Cause.squash(exit.cause), StorageUnreachable, `${index}`)
        })
      })
    )
  }
})

const startWith = (listener: RequestListener) =>
  Effect.gen(function* () {
    const place = placeOf(yield* listening(listener))
    const build = Layer.build(Layer.fresh(S3.layer).pipe(Layer.provide(S3.S3Config.layer(place, deadline))))
    return startFailure(yield* Effect.flip(Effect.sandbox(build)))
  })

describe("a start with an S3 storage", () => {
  const refusals = [
    ["AccessDenied", 403, /FLOW_BLOBS: s3:\/\/bucket cannot be used: the credentials may not/],
    ["InvalidAccessKeyId", 403, /does not know the access key/],
    ["SignatureDoesNotMatch", 403, /secret key/],
    ["NoSuchBucket", 404, /no such bucket/],
    ["PermanentRedirect", 301, /another region/],
    ["Teapot", 418, /answered 418 \(Teapot\)/]
  ] as const
  for (const [code, status, reason] of refusals) {
    it.live(`is refused at once on ${code}`, () =>
      Effect.gen(function* () {
        let requests = 0
        const said = yield* startWith((request, response) => {
          requests++
          answer(status, error(code))(request, response)
        })
        assert.match(said, reason)
        assert.notInclude(said, "secret-word")
        assert.strictEqual(requests, 1)
      })
    )
  }

  it.live("waits for a server that does not answer yet", () =>
    Effect.gen(function* () {
      let requests = 0
      const said = yield* startWith((request, response) => {
        requests++
        if (requests <= 4) return void response.socket?.destroy()
        answer(403, error("AccessDenied"))(request, response)
      })
      assert.match(said, /may not/)
      assert.isAbove(requests, 4)
    })
  )
})
