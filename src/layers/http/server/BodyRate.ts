import type { IncomingMessage, Server } from "node:http"

/** A body that is being received. */
interface Body {
  /** Bytes of the connection when the current span began. */
  from: number
  /** Milliseconds of the current span in which the gateway was ready to read. */
  waited: number
  readonly tooSlow: () => void
}

/** Number of checks of each body in a span. */
const looks = 10

/**
 * Calls `tooSlow` for a request whose body arrives at less than `rate` bytes per second over a `span` of milliseconds.
 * Time in which the gateway itself is the slower side does not count. A body that keeps moving has no time limit.
 */
export const bodyRate = (server: Server, { span, rate }: { readonly span: number; readonly rate: number }) => {
  const bodies = new Map<IncomingMessage, Body>()
  const look = () => {
    for (const [{ socket, complete }, body] of bodies) {
      if (complete || socket.isPaused()) continue
      body.waited += span / looks
      if (body.waited < span) continue
      if (socket.bytesRead - body.from < (rate * span) / 1000) body.tooSlow()
      body.from = socket.bytesRead
      body.waited = 0
    }
  }
  const timer = setInterval(look, span / looks).unref()
  server.once("close", () => clearInterval(timer))
  return {
    begin: (request: IncomingMessage, tooSlow: () => void): void => {
      const { "content-length": length = "0", "transfer-encoding": encoding } = request.headers
      if (length !== "0" || encoding !== undefined) {
        bodies.set(request, { from: request.socket.bytesRead, waited: 0, tooSlow })
      }
    },
    end: (request: IncomingMessage): void => void bodies.delete(request)
  }
}
