import { createHash, randomBytes } from "node:crypto"
import { truncateSync, writeFileSync } from "node:fs"
import { connect } from "node:net"
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { Context, Effect, Exit, Layer, Scope } from "effect"
import { configuration } from "../support/conf.ts"
import { memoryGateway, TestGateway } from "../support/gateway.ts"
import { eventually } from "../support/process.ts"
import { site } from "../support/process-gateway.ts"
import { generator, tenantOf } from "../support/runs.ts"
import { openSocket, parseAnswer } from "../support/socket.ts"

/** More than the buffers between two processes hold. */
const size = 48 * 1024 * 1024

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
const paused = async (port: number) => {
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
  it.live("ends what is under way whole, lets followers go, takes nothing new, and minds no further signals", () =>
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
        const download = await paused(gateway.port)
        gateway.process.kill("SIGTERM")
        await eventually("nothing new is taken", () => refuses(gateway.port), 5000)
        await follower.closed
        expect(follower.received().toString().endsWith("0\r\n\r\n")).toBe(true)
        await Promise.all([idle.closed, silent.closed])
        expect(gateway.process.exitCode).toBe(null)
        // Until the process has gone, also when all is released already.
        const further = setInterval(() => {
          for (const name of ["SIGTERM", "SIGINT"] as const) gateway.process.kill(name)
        }, 1)
        void gateway.exit.then(() => clearInterval(further))
        download.socket.resume()
        await download.closed
        const answer = parseAnswer(download.received())
        expect(answer.headers.get("content-length")).toBe(String(size))
        expect(createHash("sha256").update(answer.body).digest("hex")).toBe(sha256)
        expect(await gateway.exit).toEqual({ code: 0, signal: null })
        const next = await here.start()
        expect((await tenantOf(next.url).running(id)).events).toHaveLength(1)
      })
    })
  )

  it.live("waits for a client that does not read, but not for ever", () =>
    Effect.gen(function* () {
      const conf = yield* configuration
      const large = join(conf.folderOf("mytenant"), "large.bin")
      writeFileSync(large, "")
      truncateSync(large, 2 * size)
      const scope = yield* Scope.make()
      const services = yield* Layer.buildWithScope(memoryGateway({ conf: conf.root, stopPatience: 500 }), scope)
      const download = yield* Effect.promise(() => paused(Number(new URL(Context.get(services, TestGateway).url).port)))
      const began = performance.now()
      yield* Scope.close(scope, Exit.void)
      expect(performance.now() - began).toBeGreaterThan(450)
      download.socket.resume()
      yield* Effect.promise(() => download.closed)
      expect(parseAnswer(download.received()).body.length).toBeLessThan(2 * size)
    })
  )
})
