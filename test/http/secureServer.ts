import type { AddressInfo } from "node:net"
import { Effect } from "effect"
import { loadCertificate } from "../../src/layers/http/server/Certificate.ts"
import { nodeServer, type ServerOptions, type timeouts } from "../../src/layers/http/server/NodeServer.ts"
import { first } from "../support/tls.ts"

/** A server with the first pair, and the statuses of its answers. */
export const secureServer = Effect.fnUntraced(function* (options: Partial<typeof timeouts> & ServerOptions = {}) {
  const certificate = yield* loadCertificate(first.files)
  const exchanges: Array<number> = []
  const server = yield* Effect.acquireRelease(
    Effect.sync(() => nodeServer(({ status }) => exchanges.push(status), { certificate, ...options })),
    (server) =>
      Effect.sync(() => {
        server.closeAllConnections()
        server.close()
      })
  )
  yield* Effect.promise(() => new Promise<void>((done) => server.listen(0, "127.0.0.1", done)))
  return { server, exchanges, port: (server.address() as AddressInfo).port }
})
