import { expect, it } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import { HttpServerRequest } from "effect/http"
import { TestClock } from "effect/testing"
import * as Sha256Hash from "../../src/layers/blobs/Sha256Hash.ts"
import { readUpload } from "../../src/services/http/Upload.ts"
import { StreamHash } from "../../src/services/shared/bytes/StreamHash.ts"
import { RequestMemory } from "../../src/services/shared/capacity/RequestMemory.ts"
import { Uploads } from "../../src/services/shared/capacity/Uploads.ts"
import { TenantId } from "../../src/services/shared/Tenant.ts"
import { testSettings } from "../support/gateway.ts"
import { eventually } from "../support/process.ts"

const kibibyte = 1024
const mebibyte = 1024 * kibibyte

it.effect("an upload that stands still gives back what the disk has taken, and takes it again when it moves", () => {
  let held = 0
  let feed: ReadableStreamDefaultController<Uint8Array> | undefined
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => {
      feed = controller
    }
  })
  const headers = { "content-type": "multipart/form-data; boundary=b" }
  const init: RequestInit & { duplex: "half" } = { method: "PUT", headers, body, duplex: "half" }
  const request = HttpServerRequest.fromWeb(new Request("http://x/", init))
  const send = (bytes: string | Uint8Array) => feed!.enqueue(Buffer.from(bytes))
  const arrived = (bytes: number) => Effect.promise(() => eventually(`${held} of ${bytes} held`, () => held === bytes))
  const set = (bytes: number) => {
    held = bytes
  }
  const memory = Layer.succeed(RequestMemory, {
    hold: (_, bytes) =>
      Effect.sync(() => {
        set(bytes)
        return {
          change: set,
          raise: (more) => {
            set(Math.max(held, more))
            return true
          },
          grow: (more) => Effect.sync(() => set(Math.max(held, more))),
          await: () => Effect.void
        }
      })
  })
  const store = (source: AsyncIterable<Uint8Array>) =>
    Effect.promise(async () => {
      let size = 0
      for await (const { length } of source) size += length
      return { sha256: "", size }
    })
  return Effect.gen(function* () {
    const hashes = yield* StreamHash
    const rules = { tenant: TenantId("t"), file: "file", parts: {}, check: () => Effect.void }
    const reading = yield* Effect.forkChild(readUpload(request, hashes, rules, store), { startImmediately: true })
    yield* arrived(128 * kibibyte)
    const head = '--b\r\ncontent-disposition: form-data; name="file"\r\n\r\n'
    send(head)
    yield* arrived(128 * kibibyte + head.length)
    send(new Uint8Array(4 * mebibyte))
    yield* arrived(128 * kibibyte + 3 * mebibyte)
    // The store has taken all of it.
    yield* Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
    yield* TestClock.adjust("25 seconds")
    expect(held).toBe(128 * kibibyte + mebibyte)
    send(new Uint8Array(mebibyte))
    yield* arrived(128 * kibibyte + 3 * mebibyte)
    send("\r\n--b--\r\n")
    feed!.close()
    expect((yield* Fiber.join(reading)).blob.size).toBe(5 * mebibyte)
  }).pipe(
    Effect.provide([
      memory,
      Layer.succeed(Uploads, { begin: () => Effect.void, underWay: () => 0, refused: () => Effect.void }),
      Sha256Hash.layer,
      testSettings({ databaseUrl: "postgres://unused", data: "none" })
    ])
  )
})
