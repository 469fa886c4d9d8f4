import { createServer, type RequestListener } from "node:http"
import type { AddressInfo } from "node:net"
import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { FetchHttpClient } from "effect/http"
import { type Content, form, make } from "../../packages/client/src/FlowGateway.ts"
import { connect, GatewayError } from "../../packages/client/src/promise.ts"
import { memoryGateway, TestGateway } from "../support/gateway.ts"

const params = { tenant: "mytenant" }

/** A promise, and the function that fulfils it. */
const signalled = () => {
  const { promise, resolve } = Promise.withResolvers<void>()
  return { promise, resolve: () => resolve() }
}

/** A server, and a promise that its first connection is closed. */
const serving = (listener: RequestListener) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const closed = signalled()
      const server = createServer(listener).on("connection", (socket) => socket.on("close", closed.resolve))
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
      const stop = () => {
        server.closeAllConnections()
        server.close()
      }
      return { url, closed: closed.promise, stop }
    }),
    ({ stop }) => Effect.sync(stop)
  )

/** Answers with the first bytes of a body, and with no more. */
const stalled =
  (type: string, start: string): RequestListener =>
  (_, response) => {
    response.writeHead(200, { "content-type": type })
    response.write(start)
  }

/** Some bytes, and then none: `asked` when more are requested, `left` when the consumer cancels. */
const pending = () => {
  const asked = signalled()
  const left = signalled()
  let taken = 0
  const stream = new ReadableStream<Uint8Array<ArrayBuffer>>(
    {
      pull(controller) {
        taken += 1
        if (taken === 1) return controller.enqueue(new Uint8Array(1000))
        asked.resolve()
        return new Promise(() => {})
      },
      cancel: left.resolve
    },
    { highWaterMark: 0 }
  )
  const iterable = {
    [Symbol.asyncIterator]: () => ({
      next: async () => {
        taken += 1
        if (taken === 1) return { done: false, value: new Uint8Array(1000) }
        asked.resolve()
        return new Promise<never>(() => {})
      },
      return: async () => {
        left.resolve()
        return { done: true as const, value: undefined }
      }
    })
  }
  return { stream, iterable, asked: asked.promise, left: left.promise }
}

layer(memoryGateway(), { excludeTestServices: true })("what is stopped", (it) => {
  it.effect("while a download waits for bytes closes its connection", () =>
    Effect.gen(function* () {
      const { url, closed } = yield* serving(stalled("application/octet-stream", "first"))
      yield* Effect.promise(async () => {
        const { registry } = connect(url)
        const reader = (await registry.download({ params: { ...params, path: "a" }, query: {} })).getReader()
        expect(new TextDecoder().decode((await reader.read()).value)).toBe("first")
        const next = reader.read()
        // It is requested in a later turn.
        await new Promise(setImmediate)
        await reader.cancel()
        expect((await next).done).toBe(true)
        await closed
      })
    })
  )

  it.effect("before anything of a download was read closes its connection", () =>
    Effect.gen(function* () {
      const { url, closed } = yield* serving(stalled("application/octet-stream", "first"))
      yield* Effect.promise(async () => {
        const download = await connect(url).registry.download({ params: { ...params, path: "a" }, query: {} })
        await download.cancel()
        await closed
      })
    })
  )

  it.effect("by its signal while nobody reads closes its connection", () =>
    Effect.gen(function* () {
      const { url, closed } = yield* serving(stalled("application/octet-stream", "first"))
      yield* Effect.promise(async () => {
        const stopping = new AbortController()
        const reason = new Error("enough")
        const request = { params: { ...params, path: "a" }, query: {} }
        const reader = (await connect(url).registry.download(request, { signal: stopping.signal })).getReader()
        await reader.read()
        stopping.abort(reason)
        await closed
        await expect(reader.read()).rejects.toBe(reason)
      })
    })
  )

  it.effect("while what goes on waits for a line closes its connection", () =>
    Effect.gen(function* () {
      const line = { seq: 1, timestamp: new Date(0).toISOString(), component: "show", text: "a line" }
      const { url, closed } = yield* serving(stalled("text/event-stream", `id: 1\ndata: ${JSON.stringify(line)}\n\n`))
      yield* Effect.promise(async () => {
        const lines = connect(url)
          .follow.output({ params: { ...params, id: "e" }, query: {} })
          [Symbol.asyncIterator]()
        const first = await lines.next()
        expect(first.value).toMatchObject({ type: "line", id: 1 })
        const next = lines.next()
        expect(await lines.return?.()).toMatchObject({ done: true })
        expect(await next).toMatchObject({ done: true })
        expect(await lines.next()).toMatchObject({ done: true })
        await closed
      })
    })
  )

  const refuse: RequestListener = (_, response) => {
    response.writeHead(413, { "content-type": "application/problem+json" })
    response.end('{"type":"/problems/too-large","title":"Too large","status":413}')
  }
  const ways: ReadonlyArray<readonly [how: string, listener: RequestListener, isAborted: boolean]> = [
    ["its signal", (request) => void request.resume(), true],
    ["an early answer", refuse, false],
    ["a lost connection", (request) => void request.once("data", () => request.socket.resetAndDestroy()), false]
  ]
  const kinds: ReadonlyArray<"stream" | "iterable"> = ["stream", "iterable"]
  it.effect.each(ways.flatMap((way) => kinds.map((kind) => [...way, kind] as const)))(
    "by %s lets go of what an upload reads",
    ([, listener, isAborted, kind]) =>
      Effect.gen(function* () {
        const { url } = yield* serving(listener)
        yield* Effect.promise(async () => {
          const source = pending()
          // It is not reached.
          const other = pending()
          const stopping = new AbortController()
          const payload = form({ path: "a", file: [source[kind] as Content, "a"], more: other[kind] as Content })
          const call = connect(url).registry.create({ params, payload }, { signal: stopping.signal })
          const failure = call.catch((error: unknown) => error)
          if (isAborted) {
            await source.asked
            stopping.abort(new Error("enough"))
          }
          await (kind === "stream" ? Promise.all([source.left, other.left]) : source.left)
          expect(await failure).toEqual(isAborted ? new Error("enough") : expect.any(GatewayError))
        })
      })
  )

  it.effect("never ends a form that is sent in part", () =>
    Effect.gen(function* () {
      const received: Array<string> = []
      const gone = signalled()
      const { url } = yield* serving((request) => {
        request.on("data", (data: Uint8Array) => received.push(data.toString()))
        request.on("error", () => {})
        request.on("close", gone.resolve)
      })
      yield* Effect.promise(async () => {
        const source = pending()
        const stopping = new AbortController()
        const payload = form({ path: "a", file: [source.stream, "a"] })
        const call = connect(url).registry.create({ params, payload }, { signal: stopping.signal })
        await source.asked
        stopping.abort(new Error("enough"))
        await expect(call).rejects.toThrow("enough")
        await gone.promise
        expect(received.join("")).not.toContain("--\r\n")
      })
    })
  )

  it.effect("A stream is not replaced by an empty file where another HTTP client cannot send it", () =>
    Effect.gen(function* () {
      const { url } = yield* TestGateway
      const { registry } = yield* make(url)
      const payload = form({ path: "elsewhere.txt", file: [new Blob(["text"]).stream(), "a.txt"] })
      const failure = yield* Effect.flip(registry.create({ params, payload }))
      expect(failure).toMatchObject({ status: 400 })
    }).pipe(Effect.provide(FetchHttpClient.layer))
  )
})
