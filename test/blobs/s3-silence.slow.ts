import { createServer, type IncomingMessage, type RequestListener, type Server } from "node:http"
import { setTimeout as sleep } from "node:timers/promises"
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Fiber, Layer } from "effect"
import { Blobs } from "../../src/drivers/blobs/Blobs.ts"
import { s3Address } from "../../src/drivers/blobs/s3/S3Address.ts"
import * as S3 from "../../src/drivers/blobs/s3/S3Blobs.ts"
import { StorageUnreachable } from "../../src/errors/StorageUnreachable.ts"
import { cut, noise } from "./bytes.ts"

const mib = 1024 * 1024
const deadline = 3000

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

const begun = "<InitiateMultipartUploadResult><UploadId>1</UploadId></InitiateMultipartUploadResult>"

/** The blobs of a server that starts uploads and leaves their parts to the test. */
const against = (part: RequestListener) =>
  Effect.gen(function* () {
    const server = yield* listening((request, response) => {
      if (request.method === "POST" && request.url?.includes("uploads")) response.end(begun)
      else if (request.method === "PUT") part(request, response)
      else response.writeHead(204).end()
    })
    const address = server.address()
    const port = typeof address === "object" && address !== null ? address.port : 0
    const place = s3Address(`s3://bucket?endpoint=http://127.0.0.1:${port}`, { accessKeyId: "a", secretAccessKey: "b" })
    const config = S3.S3Config.layer(place, deadline)
    return Context.get(yield* Layer.build(Layer.fresh(S3.runLayer).pipe(Layer.provide(config))), Blobs)
  })

/** Takes a few bytes of a part, and then nothing. */
const freezing = (request: IncomingMessage) => request.once("data", () => request.pause())

/** Gives 9 MiB, and nothing more until it is left. */
const pausing = (state: { readonly left: Promise<void> }) =>
  (async function* () {
    yield noise(9 * mib)
    await state.left
  })()

describe("an S3 server", () => {
  it.live("that takes nothing more costs one deadline from then on, also while the source has nothing to say", () =>
    Effect.gen(function* () {
      let frozen = 0
      const blobs = yield* against((request) => {
        frozen = performance.now()
        freezing(request)
      })
      const { promise: left, resolve: leave } = Promise.withResolvers<void>()
      const sources = [cut(noise(40 * mib)), pausing({ left })]
      const failures = yield* Effect.forEach(
        sources,
        (source) => Effect.map(Effect.flip(blobs.write("one", source)), (error) => ({ error, at: performance.now() })),
        { concurrency: 2 }
      )
      leave()
      for (const { error, at } of failures) {
        assert.instanceOf(error, StorageUnreachable)
        // Node's own time-out of a connection takes two deadlines here; one is left for a busy machine.
        assert.isBelow(at - frozen, 2 * deadline - 100)
      }
    })
  )

  it.live("that takes its time, but goes on, is waited for", () =>
    Effect.gen(function* () {
      const { promise: taken, resolve: take } = Promise.withResolvers<number>()
      const slowly = async (request: IncomingMessage) => {
        const begun = performance.now()
        let bytes = 0
        for await (const chunk of request) {
          bytes += chunk.length
          if (bytes < 4 * mib) await sleep(chunk.length / 1024)
        }
        take(performance.now() - begun)
      }
      const blobs = yield* against((request) => void slowly(request).catch(() => {}))
      const writing = yield* Effect.forkChild(Effect.flip(blobs.write("one", cut(noise(8 * mib)))))
      assert.isAbove(yield* Effect.promise(() => taken), deadline)
      yield* Fiber.interrupt(writing)
    })
  )
})
