import type { Socket } from "node:net"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { configuration } from "../support/conf.ts"
import { eventually } from "../support/process.ts"
import { type Running, residentMib, site } from "../support/process-gateway.ts"
import { openSocket, type RawSocket } from "../support/socket.ts"

const mebibyte = 1024 * 1024
const each = 24 * mebibyte
const file = new Uint8Array(12 * mebibyte).fill(7)
const coordinates = "group=g&artifact=a&version=1"

/** A gateway in a separate process, whose tenants have this build. */
const started = Effect.gen(function* () {
  const { root } = yield* configuration
  const { start } = yield* site()
  const variables = { FLOW_CONF: root, FLOW_REQUEST_BYTES: String(2 * each), FLOW_TENANT_REQUEST_BYTES: String(each) }
  const gateway = yield* Effect.promise(() => start(variables))
  for (const tenant of ["mytenant", "othertenant"]) {
    assert.strictEqual((yield* Effect.promise(() => upload(gateway, tenant, "1"))).status, 201)
  }
  return gateway
})

const upload = ({ url }: Running, tenant: string, version: string) => {
  const form = new FormData()
  form.set("manifest", new Blob([JSON.stringify({ group: "g", artifact: "a", version, type: "FILE" })]))
  form.set("input", new Blob([file]), "f")
  return fetch(`${url}/v1/${tenant}/resources/upload`, { method: "PUT", body: form })
}

const download = async ({ url }: Running, tenant: string) => {
  const answer = await fetch(`${url}/v1/${tenant}/resources/download?${coordinates}`)
  return { status: answer.status, bytes: (await answer.bytes()).length }
}

const held = async ({ url }: Running): Promise<number> =>
  Number(/^flow_request_memory_bytes\S* (\d+)$/m.exec(await (await fetch(`${url}/metrics`)).text())?.[1] ?? 0)

/** As many connections, on each of which the request is written. */
const connected = (gateway: Running, count: number, write: (connection: RawSocket) => void) =>
  Effect.acquireRelease(
    Effect.promise(() =>
      Promise.all(
        Array.from({ length: count }, async () => {
          const connection = await openSocket(gateway.port)
          write(connection)
          return connection
        })
      )
    ),
    (connections) => Effect.sync(() => leave(connections.map(({ socket }) => socket)))
  )

const leave = (sockets: ReadonlyArray<Socket>) => {
  for (const socket of sockets) socket.destroy()
}

const isRefused = (connection: RawSocket): boolean =>
  /^HTTP\/1\.1 503 [\s\S]*^retry-after: 1\r$/im.test(connection.received().toString("latin1"))

/** Waits until so many are refused, while the memory stays within the tenant's. */
const refusedOf = (gateway: Running, connections: ReadonlyArray<RawSocket>, least: number) =>
  Effect.promise(async () => {
    let most = 0
    let seen = ""
    await eventually("those that do not fit are refused", async () => {
      most = Math.max(most, await held(gateway))
      const refused = connections.filter(isRefused).length
      seen = `${refused} of ${connections.length}, ${connections.filter(({ isClosed }) => isClosed()).length} closed`
      return refused >= least
    }).catch((late: Error) => {
      throw new Error(`${late.message}: ${seen}, ${most} bytes`)
    })
    assert.isAtMost(most, each)
    return most
  })

const freed = (gateway: Running) =>
  Effect.promise(() => eventually("all is given back", async () => (await held(gateway)) === 0))

describe("the memory of transfers", () => {
  it.live("is limited for downloads that nobody reads, and given back when they end", () =>
    Effect.gen(function* () {
      const gateway = yield* started
      const before = residentMib(gateway.pid)
      const path = `/v1/mytenant/resources/download?${coordinates}`
      const stalled = yield* connected(gateway, 500, ({ socket, write }) => {
        // What fits reads nothing of 12 MiB, a refusal is read to its end.
        socket.on("data", () => socket.bytesRead > 32_768 && socket.pause())
        write(`GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`)
      })
      // One takes a mebibyte.
      const most = yield* refusedOf(gateway, stalled, 500 - each / mebibyte)
      assert.strictEqual(most, each)
      assert.isBelow(residentMib(gateway.pid) - before, 300)
      assert.deepStrictEqual(yield* Effect.promise(() => download(gateway, "othertenant")), {
        status: 200,
        bytes: file.length
      })
      const head = yield* Effect.promise(() => fetch(gateway.url + path, { method: "HEAD" }))
      assert.strictEqual(head.status, 200)
      leave(stalled.map(({ socket }) => socket))
      yield* freed(gateway)
      assert.deepStrictEqual(yield* Effect.promise(() => download(gateway, "mytenant")), {
        status: 200,
        bytes: file.length
      })
    }).pipe(Effect.scoped)
  )

  it.live("is limited for forms that stand still, and given back when they end", () =>
    Effect.gen(function* () {
      const gateway = yield* started
      const before = residentMib(gateway.pid)
      const part = '--x\r\nContent-Disposition: form-data; name="file"; filename="f.yaml"\r\n\r\n'
      const body = part + "y".repeat(64 * 1024)
      const forms = yield* connected(gateway, 500, ({ write }) =>
        write(
          "POST /v1/mytenant/flowline HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 1000000\r\n" +
            `Content-Type: multipart/form-data; boundary=x\r\n\r\n${body}`
        )
      )
      // 128 KiB, and what has come of it.
      yield* refusedOf(gateway, forms, 500 - Math.floor(each / (128 * 1024 + 64 * 1024)))
      assert.isBelow(residentMib(gateway.pid) - before, 300)
      assert.strictEqual((yield* Effect.promise(() => upload(gateway, "othertenant", "2"))).status, 201)
      leave(forms.map(({ socket }) => socket))
      yield* freed(gateway)
      assert.strictEqual((yield* Effect.promise(() => upload(gateway, "mytenant", "2"))).status, 201)
    }).pipe(Effect.scoped)
  )

  it.live("grows with the bytes of an upload, and all of it is given back", () =>
    Effect.gen(function* () {
      const gateway = yield* started
      const head =
        "PUT /v1/mytenant/resources/upload HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 99999999\r\n" +
        "Content-Type: multipart/form-data; boundary=x\r\n\r\n" +
        '--x\r\nContent-Disposition: form-data; name="input"; filename="f"\r\n\r\n'
      const uploads = yield* connected(gateway, 50, ({ write }) => write(head))
      // What has only begun takes little: 50 of them would not fit otherwise.
      yield* Effect.promise(() => eventually("all have begun", async () => (await held(gateway)) > 50 * 128 * 1024))
      assert.isBelow(yield* Effect.promise(() => held(gateway)), 10 * mebibyte)
      for (const { write } of uploads) write(file.subarray(0, 4 * mebibyte))
      yield* refusedOf(gateway, uploads, 1)
      leave(uploads.map(({ socket }) => socket))
      yield* freed(gateway)
    }).pipe(Effect.scoped)
  )
})
