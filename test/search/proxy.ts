import { type AddressInfo, connect, createServer, type Socket } from "node:net"
import { Effect, Redacted } from "effect"

/** A way to a PostgreSQL that can be cut, silenced and closed. */
export const proxyTo = (database: Redacted.Redacted<string>) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const target = new URL(Redacted.value(database))
      const pairs = new Set<readonly [Socket, Socket]>()
      /** Bytes that each connection brings before it is cut. */
      let budget = Number.POSITIVE_INFINITY
      let cuts = 0
      let silent = false
      let knocks = 0
      const server = createServer((near) => {
        const far = connect(Number(target.port), target.hostname)
        const pair = [near, far] as const
        const end = () => {
          pairs.delete(pair)
          near.destroy()
          far.destroy()
        }
        pairs.add(pair)
        let brought = 0
        near.on("data", (bytes) => void far.write(bytes))
        far.on("data", (bytes) => {
          brought += bytes.length
          near.write(bytes)
          if (brought <= budget) return
          cuts++
          end()
        })
        for (const socket of pair) socket.on("close", end).on("error", end)
        if (!silent) return
        knocks++
        for (const socket of pair) socket.pause()
      })
      const listen = (port: number) => new Promise<void>((done) => server.listen(port, "127.0.0.1", done))
      await listen(0)
      const { port } = server.address() as AddressInfo
      const url = new URL(target)
      url.host = `127.0.0.1:${port}`
      const silence = (on: boolean) => {
        silent = on
        for (const socket of [...pairs].flat()) on ? socket.pause() : socket.resume()
      }
      const close = () => {
        for (const [near, far] of pairs) {
          near.destroy()
          far.destroy()
        }
        return new Promise<void>((done) => server.close(() => done()))
      }
      return {
        url: Redacted.make(url.href),
        /** Cuts each connection after it has transferred so many bytes. */
        cutAfter: (bytes: number) => {
          budget = bytes
        },
        /** Number of connections that were cut. */
        cuts: () => cuts,
        /** Number of connections that were opened in silence. */
        knocks: () => knocks,
        /** Passes nothing on while it is on; connections stay open. */
        silence: (on: boolean) => Effect.sync(() => silence(on)),
        close: Effect.promise(close)
      }
    }),
    ({ close }) => close
  )
