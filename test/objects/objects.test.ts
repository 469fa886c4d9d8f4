import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import { Outbound } from "../../src/drivers/Outbound.ts"
import { ObjectFiles, rangeBytes } from "../../src/drivers/objects/ObjectFiles.ts"
import { ObjectUpload, partBytes } from "../../src/drivers/objects/ObjectUpload.ts"
import { validate } from "../../src/services/flowlines/validation/Validation.ts"
import { noise } from "../blobs/bytes.ts"

// test/s3 tests with a real server. This one does what a real one does rarely.

interface Scene {
  /** The content of the object, and its tag. */
  content: Buffer
  etag: string
  /** Called before each answer; true when it has answered itself. */
  before: (request: IncomingMessage, response: ServerResponse) => boolean
}

const isDone = (response: ServerResponse, status: number, headers: Record<string, string>, body: Buffer | string) => {
  response.writeHead(status, headers).end(body)
}

/** Answers requests for one object: GET with a range, HEAD, and uploads. */
const answer = (scene: Scene, request: IncomingMessage, response: ServerResponse) => {
  const { content, etag } = scene
  request.resume()
  if (scene.before(request, response)) return
  if (request.method !== "GET") return isDone(response, 200, { etag }, "")
  if (request.headers["if-match"] !== undefined && request.headers["if-match"] !== etag) {
    return isDone(response, 412, {}, "<Error><Code>PreconditionFailed</Code></Error>")
  }
  const [, from = "0", to = "0"] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? "") ?? []
  const piece = content.subarray(Number(from), Number(to) + 1)
  const range = `bytes ${from}-${Number(from) + piece.length - 1}/${content.length}`
  isDone(response, 206, { etag, "content-range": range, "content-length": String(piece.length) }, piece)
}

const place = Effect.gen(function* () {
  const scene: Scene = { content: Buffer.alloc(0), etag: '"one"', before: () => false }
  const server = yield* Effect.acquireRelease(
    Effect.promise(async () => {
      const server = createServer((request, response) => answer(scene, request, response))
      await new Promise<void>((done) => server.listen(0, "127.0.0.1", done))
      return server
    }),
    (server) => Effect.promise(async () => new Promise((done) => server.closeAllConnections() ?? server.close(done)))
  )
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  const access = { endpoint: `http://${host}`, access_key_id: "key", secret_access_key: "secret-word" }
  const outbound = new Outbound([host])
  const stop = new AbortController()
  const read = async () => {
    const chunks: Array<Uint8Array> = []
    for await (const chunk of new ObjectFiles(access, outbound, stop.signal).read("s3://bucket/a.log"))
      chunks.push(chunk)
    return Buffer.concat(chunks)
  }
  return { scene, access, outbound, stop, read }
})

const reason = (promise: Promise<unknown>) => promise.then(() => "no failure", String)

describe("an object", () => {
  it.live("is the same bytes whatever its size is, and however often a transfer breaks off", () =>
    Effect.gen(function* () {
      const { scene, read } = yield* place
      for (const size of [1, rangeBytes - 1, rangeBytes, rangeBytes + 1, 5 * rangeBytes + 17]) {
        scene.content = noise(size)
        const broken = new Set<string>()
        let most = 0
        let open = 0
        scene.before = (request, response) => {
          most = Math.max(most, ++open)
          response.once("close", () => open--)
          const range = request.headers.range ?? ""
          if (broken.has(range)) return false
          broken.add(range)
          const [, from = "0", to = "0"] = /^bytes=(\d+)-(\d+)$/.exec(range) ?? []
          const last = Math.min(Number(to), size - 1)
          const announced = {
            etag: scene.etag,
            "content-range": `bytes ${from}-${last}/${size}`,
            "content-length": String(last + 1 - Number(from))
          }
          response.writeHead(206, announced)
          response.flushHeaders()
          setImmediate(() => response.destroy())
          return true
        }
        const found = yield* Effect.promise(read)
        assert.isTrue(found.equals(scene.content), `${size}`)
        assert.strictEqual(broken.size, Math.ceil(size / rangeBytes))
        assert.isAtMost(most, 5)
        if (size > 4 * rangeBytes) assert.isAbove(most, 1)
      }
    })
  )

  it.live("that is replaced while it is read fails, and is never a mixture", () =>
    Effect.gen(function* () {
      const { scene, read } = yield* place
      scene.content = noise(3 * rangeBytes)
      let ranges = 0
      scene.before = () => {
        if (++ranges === 2) scene.etag = '"two"'
        return false
      }
      const failure = yield* Effect.promise(() => reason(read()))
      assert.strictEqual(failure, 'Failure: The object "s3://bucket/a.log" was replaced while it was read')
    })
  )

  it.live("is read whole or not at all where the server does not send what it is asked for", () =>
    Effect.gen(function* () {
      const { scene, read } = yield* place
      const whole = noise(2 * rangeBytes + 1)
      const piece = (
        from: number,
        bytes: number,
        all: string | number = whole.length
      ): readonly [number, object, Buffer] => {
        const sent = whole.subarray(from, from + bytes)
        return [206, { "content-range": `bytes ${from}-${from + sent.length - 1}/${all}` }, sent]
      }
      const answers: ReadonlyArray<(from: number) => readonly [status: number, headers: object, body: Buffer]> = [
        (from) => piece(from, rangeBytes / 4),
        (from) => piece(from, rangeBytes, "*"),
        (from) => (from === 0 ? piece(0, rangeBytes) : [200, {}, whole]),
        (from) => (from === 0 ? piece(0, rangeBytes) : piece(0, rangeBytes)),
        () => [200, {}, whole],
        () => [200, { "transfer-encoding": "chunked" }, Buffer.from("some")]
      ]
      for (const answer of answers) {
        scene.before = (request, response) => {
          const [status, headers, body] = answer(Number(/\d+/.exec(request.headers.range ?? "")?.[0]))
          const length = "transfer-encoding" in headers ? {} : { "content-length": String(body.length) }
          response.writeHead(status, { etag: scene.etag, ...length, ...headers }).end(body)
          return true
        }
        assert.match(
          yield* Effect.promise(() => reason(read())),
          /does not send the range of bytes that it is asked for$/
        )
      }
      scene.before = (_, response) => {
        isDone(response, 200, { "content-length": "4" }, "some")
        return true
      }
      assert.strictEqual((yield* Effect.promise(read)).toString(), "some")
      let ranges = 0
      scene.before = (request, response) => {
        const [status, headers, body] = piece(Number(/\d+/.exec(request.headers.range ?? "")?.[0]), rangeBytes)
        response
          .writeHead(status, { etag: `"${ranges++}"`, "content-length": String(body.length), ...headers })
          .end(body)
        return true
      }
      assert.match(
        yield* Effect.promise(() => reason(read())),
        /"s3:\/\/bucket\/a.log" was replaced while it was read$/
      )
    })
  )

  it.live("that cannot be had says why, and nothing of the credentials or the answer", () =>
    Effect.gen(function* () {
      const { scene, read } = yield* place
      const cases = [
        [403, "AccessDenied", /the credentials may not read it$/],
        [403, "SignatureDoesNotMatch", /the secret key does not match the access key$/],
        [404, "NoSuchKey", /does not exist$/],
        [404, "NoSuchBucket", /there is no such bucket$/],
        [301, "PermanentRedirect", /the bucket is in another region$/],
        [503, "SlowDown", /the server answered 503 \(SlowDown\)$/]
      ] as const
      for (const [status, code, expected] of cases) {
        scene.before = (_, response) => {
          const body = `<Error><Code>${code}</Code><Message>secret-word of the server</Message></Error>`
          isDone(response, status, { "content-type": "application/xml" }, body)
          return true
        }
        const failure = yield* Effect.promise(() => reason(read()))
        assert.match(failure, expected)
        assert.notInclude(failure, "secret-word")
      }
    })
  )

  it.live("that is written is not announced before it is published", () =>
    Effect.gen(function* () {
      const { scene, access, outbound, stop } = yield* place
      const calls: Array<string> = []
      scene.before = ({ method = "", url = "" }, response) => {
        calls.push(`${method} ${url.replace(/^[^?]*\??/, "").replace(/&?x-id=\w+/, "")}`)
        if (method !== "POST") return false
        const begun = "<InitiateMultipartUploadResult><UploadId>1</UploadId></InitiateMultipartUploadResult>"
        isDone(response, 200, {}, url.includes("uploads") ? begun : "<CompleteMultipartUploadResult/>")
        return true
      }
      yield* Effect.promise(async () => {
        const small = new ObjectUpload("s3://bucket/small", access, outbound, stop.signal)
        await small.write(noise(100))
        await small.end()
        assert.deepStrictEqual(calls, [])
        await small.publish()
        assert.deepStrictEqual(calls.splice(0), ["PUT "])
        const large = new ObjectUpload("s3://bucket/large", access, outbound, stop.signal)
        for (let written = 0; written < 2 * partBytes; written += partBytes / 4) await large.write(noise(partBytes / 4))
        await large.end()
        assert.isFalse(calls.includes("POST uploadId=1"))
        await large.publish()
        assert.deepStrictEqual(calls.sort(), [
          "POST uploadId=1",
          "POST uploads=",
          "PUT partNumber=1&uploadId=1",
          "PUT partNumber=2&uploadId=1"
        ])
      })
    })
  )
})

describe("the settings of an object", () => {
  const s3 = { region: "eu-west-1", access_key_id: "key", secret_access_key: `\${secret:KEY}` }
  const faults = (settings: Record<string, unknown>) => {
    const flowline = {
      runtime: "stream",
      dag: [
        { type: "file_input", settings, publish: [{ stream: "out" }] },
        { type: "show", subscribe: [{ component: "file_input", stream: "out" }] }
      ]
    }
    const found = validate(flowline)
    return Result.isFailure(found)
      ? found.failure.map(({ path, detail }) => `${path.slice(3).join("/")}: ${detail}`)
      : []
  }

  it("are checked when the flowline is saved", () => {
    assert.deepStrictEqual(faults({ path: "s3://bucket/a/*.log", s3 }), [])
    assert.deepStrictEqual(faults({ path: "s3://bucket/a/*.log", s3: { ...s3, access_key_id: `\${secret:ID}` } }), [])
    const cases = [
      [{ path: "s3://bucket/a" }, /^: An s3:\/\/ path needs the setting s3/],
      [{ path: "s3://b/a", s3 }, /^path: .*s3:\/\/bucket\/key/],
      [{ path: "s3://bucket", s3 }, /^path: .*s3:\/\/bucket\/key/],
      [{ path: "s3://bucket/a", s3, root: "logs" }, /^root: An s3:\/\/ path is in no root/],
      [{ path: "a.log", s3 }, /^s3: Only an s3:\/\/ path/],
      [{ path: "s3://bucket/a", s3, follow: true }, /^follow: Objects of an S3 storage do not grow/],
      [
        { path: "s3://bucket/a", s3: { ...s3, secret_access_key: "plain" } },
        /^s3\/secret_access_key: .*keep this in a secret/
      ],
      [{ path: "s3://bucket/a", s3: { ...s3, region: undefined } }, /^s3(\/region)?: /],
      [{ path: "s3://bucket/a", s3: { ...s3, endpoint: "http://key:word@host" } }, /^s3\/endpoint: /],
      [{ registry: "a", root: "logs" }, /^: root says what a path is relative to: set path/],
      [{ path: "a.log", root: "a/b" }, /^root: /]
    ] as const
    for (const [settings, fault] of cases) {
      const clean = JSON.parse(JSON.stringify(settings)) as Record<string, unknown>
      const found = faults(clean)
      assert.strictEqual(found.length, 1, JSON.stringify([settings, found]))
      assert.match(found[0] ?? "", fault)
    }
  })
})
