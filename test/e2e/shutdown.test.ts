import { createHash, randomBytes } from "node:crypto"
import { writeFileSync } from "node:fs"
import { connect } from "node:net"
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { configuration } from "../support/conf.ts"
import { eventually } from "../support/process.ts"
import { type Running, site } from "../support/process-gateway.ts"
import { generator, tenantOf } from "../support/runs.ts"
import { openSocket, parseAnswer } from "../support/socket.ts"

/** More than the buffers between two processes hold. */
const size = 96 * 1024 * 1024

const refuses = (port: number): Promise<boolean> =>
  new Promise((done) => {
    const socket = connect(port, "127.0.0.1")
    socket.once("connect", () => {
      socket.destroy()
      done(false)
    })
    socket.once("error", () => done(true))
  })

/** A download whose client does not read on for now. */
const paused = async ({ port }: Running) => {
  const download = await openSocket(port)
  download.socket.once("data", () => download.socket.pause())
  download.write("GET /v1/mytenant/conf/large.bin HTTP/1.1\r\nHost: a\r\n\r\n")
  await eventually("the download has begun", () => download.received().length > 0)
  return download
}

const prepared = Effect.gen(function* () {
  const conf = yield* configuration
  const content = randomBytes(size)
  writeFileSync(join(conf.folderOf("mytenant"), "large.bin"), content)
  const here = yield* site({ variables: { FLOW_CONF: conf.root } })
  return { here, sha256: createHash("sha256").update(content).digest("hex") }
})

describe("a gateway that is told to stop", () => {
  it.live("ends what is under way whole, lets followers go, and takes nothing new", () =>
    Effect.gen(function* () {
      const { here, sha256 } = yield* prepared
      yield* Effect.promise(async () => {
        const gateway = await here.start()
        const id = await tenantOf(gateway.url).run(generator(undefined, 10))
        await tenantOf(gateway.url).running(id)
        const follower = await openSocket(gateway.port)
        follower.write(
          `GET /v1/mytenant/flowline/executions/${id}/output HTTP/1.1\r\nHost: a\r\nAccept: text/event-stream\r\n\r\n`
        )
        await eventually("the follower hears something", () => follower.received().includes("id: "))
        const idle = await openSocket(gateway.port)
        idle.write("GET /health/live HTTP/1.1\r\nHost: a\r\n\r\n")
        const silent = await openSocket(gateway.port)
        await eventually("the idle one has its answer", () => idle.received().includes("live"))
        const download = await paused(gateway)
        const began = performance.now()
        gateway.process.kill("SIGTERM")
        await eventually("nothing new is taken", () => refuses(gateway.port), 5000)
        await follower.closed
        expect(follower.received().toString().endsWith("0\r\n\r\n")).toBe(true)
        await Promise.all([idle.closed, silent.closed])
        expect(gateway.process.exitCode).toBe(null)
        download.socket.resume()
        await download.closed
        const answer = parseAnswer(download.received())
        expect(answer.headers.get("content-length")).toBe(String(size))
        expect(createHash("sha256").update(answer.body).digest("hex")).toBe(sha256)
        expect([0, 130]).toContain((await gateway.exit).code)
        expect(performance.now() - began).toBeLessThan(20_000)
        const next = await here.start()
        expect((await tenantOf(next.url).running(id)).events).toHaveLength(1)
      })
    })
  )

  it.live(
    "waits 20 seconds for a client that does not read, then cuts it; a second signal does no harm",
    () =>
      Effect.gen(function* () {
        const { here } = yield* prepared
        yield* Effect.promise(async () => {
          const gateway = await here.start()
          const id = await tenantOf(gateway.url).run(generator(undefined, 10))
          await tenantOf(gateway.url).running(id)
          const download = await paused(gateway)
          const began = performance.now()
          gateway.process.kill("SIGTERM")
          await eventually("nothing new is taken", () => refuses(gateway.port), 5000)
          for (const name of ["SIGTERM", "SIGINT", "SIGTERM"] as const) gateway.process.kill(name)
          expect([0, 130]).toContain((await gateway.exit).code)
          expect(performance.now() - began).toBeLessThan(25_000)
          download.socket.resume()
          await download.closed
          expect(parseAnswer(download.received()).body.length).toBeLessThan(size)
          const next = await here.start()
          expect((await tenantOf(next.url).running(id)).events).toHaveLength(1)
        })
      }),
    60_000
  )
})
