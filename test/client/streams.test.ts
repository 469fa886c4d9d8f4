import { createServer, type Socket, connect as tcp } from "node:net"
import { expect, layer } from "@effect/vitest"
import { Effect, Stream } from "effect"
import { FlowGateway } from "../../packages/client/src/FlowGateway.ts"
import { connect, GatewayError } from "../../packages/client/src/promise.ts"
import { flowlineForm, gateway, TestGateway } from "../support/gateway.ts"

const tenant = "mytenant"
const lines = 3000

const flowline = JSON.stringify({
  runtime: "stream",
  dag: [
    {
      type: "generator_input",
      settings: { messages: [{ text: "a line" }], count: lines, rate: 10_000_000 },
      publish: [{ stream: "s" }]
    },
    { type: "show", settings: { limit: lines }, subscribe: [{ component: "generator_input", stream: "s" }] }
  ]
})

/** A port that forwards to the gateway, and cuts each of its first connections after so many bytes of answers. */
const cutting = (url: string, cuts: Array<number>) =>
  Effect.acquireRelease(
    Effect.callback<{ readonly url: string; readonly close: () => void }>((resume) => {
      const sockets = new Set<Socket>()
      const server = createServer((near) => {
        const far = tcp(Number(new URL(url).port), "127.0.0.1")
        let left = cuts.shift() ?? Number.POSITIVE_INFINITY
        for (const socket of [near, far]) {
          sockets.add(socket)
          socket.on("error", () => {})
          socket.on("close", () => {
            near.destroy()
            far.destroy()
          })
        }
        near.pipe(far)
        far.on("data", (chunk: Buffer) => {
          near.write(chunk.subarray(0, Math.min(left, chunk.length)))
          left -= chunk.length
          if (left <= 0) near.resetAndDestroy()
        })
      })
      server.listen(0, "127.0.0.1", () => {
        const { port } = server.address() as { readonly port: number }
        const close = () => {
          for (const socket of sockets) socket.destroy()
          server.close()
        }
        resume(Effect.succeed({ url: `http://127.0.0.1:${port}`, close }))
      })
    }),
    ({ close }) => Effect.sync(close)
  )

const counted = Array.from({ length: lines }, (_, index) => index + 1)

layer(gateway(), { excludeTestServices: true })("the streams of the client", (it) => {
  const started = Effect.gen(function* () {
    const { client } = yield* TestGateway
    const { id } = yield* client.flowlines.executeOnce({
      params: { tenant },
      payload: flowlineForm(flowline, "f.json")
    })
    return { params: { tenant, id }, query: {} }
  })

  it.effect("give every line once, in order, when connections are cut in mid-stream", () =>
    Effect.gen(function* () {
      const { url } = yield* TestGateway
      const cuts = [20_000, 1, 70_000]
      const proxy = yield* cutting(url, cuts)
      const { follow } = yield* FlowGateway(proxy.url)
      const items = yield* Stream.runCollect(follow.output(yield* started))
      expect(cuts).toEqual([])
      expect(items.flatMap((item) => (item.type === "line" ? [item.id] : []))).toEqual(counted)
      expect(items.at(-1)).toEqual({ type: "end", data: { state: "SUCCEEDED", truncated: false } })
    })
  )

  it.effect("are async iterables for promises, and end with their signal", () =>
    Effect.gen(function* () {
      const { url } = yield* TestGateway
      const request = yield* started
      yield* Effect.promise(async () => {
        const { follow } = connect(url)
        const events: Array<string> = []
        for await (const item of follow.events(request)) events.push(item.type === "line" ? item.data.event : item.type)
        expect(events).toEqual(["stream.application.start", "stream.application.end", "end"])

        const stopping = new AbortController()
        const reason = new Error("enough")
        const taken = async () => {
          for await (const _ of follow.output(request, { signal: stopping.signal })) stopping.abort(reason)
        }
        await expect(taken()).rejects.toBe(reason)

        const nothing = follow.output({ ...request, params: { tenant, id: "nothing-1" } })
        const failure = await nothing[Symbol.asyncIterator]()
          .next()
          .catch((error: unknown) => error)
        expect(failure).toBeInstanceOf(GatewayError)
        expect(failure).toMatchObject({ status: 404, type: "/problems/not-found", problem: { kind: "execution" } })
      })
    })
  )
})
