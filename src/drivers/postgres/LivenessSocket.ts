import { connect, type NetConnectOpts, type Socket } from "node:net"
import { Duplex } from "node:stream"

/** How long a server may be silent, in milliseconds. */
export interface Patience {
  /** Silence after a question until the server is asked for a sign of life. */
  readonly silence: number
  /** How long that sign may take. */
  readonly probe: number
  /** Silence that ends the connection even if the server shows life elsewhere; absent for long statements. */
  readonly limit?: number
}

/** `SSLRequest`: the one question that every PostgreSQL (and every pooler) answers with one byte, before any login. */
const sslRequest = Uint8Array.of(0, 0, 0, 8, 4, 210, 22, 47)

/** Whether a server at this address answers at all. */
const showsLife = (target: NetConnectOpts, millis: number): Promise<boolean> =>
  new Promise((done) => {
    const socket = connect(target)
    const end = (alive: boolean) => {
      clearTimeout(timer)
      socket.destroy()
      done(alive)
    }
    const timer = setTimeout(end, millis, false)
    socket.once("data", () => end(true))
    socket.once("error", () => end(false))
    socket.once("close", () => end(false))
    socket.write(sslRequest)
  })

/** `ReadyForQuery` as the last message: the server has nothing more to say for now. */
const isComplete = (chunk: Uint8Array): boolean => {
  const at = chunk.length - 6
  return at >= 0 && chunk[at] === 0x5a && chunk[at + 1] === 0 && chunk[at + 3] === 0 && chunk[at + 4] === 5
}

/**
 * A connection that notices a server which has stopped answering (frozen process, dead network path) while the
 * connection itself stays open, and closes itself then, so that every statement waiting on it fails and the pool
 * replaces it. A slow statement of a living server is let be: silence alone proves nothing, so the server is asked for
 * a sign of life on a second connection first.
 *
 * @param mayEncrypt whether TLS may be put on top. Node's TLS takes a socket's bytes past all listeners; a plain
 *   stream in between keeps them in sight
 */
export const connectWatched = (target: NetConnectOpts, patience: Patience, mayEncrypt: boolean): Duplex => {
  const socket = connect(target)
  socket.setNoDelay(true)
  let waitingSince: number | undefined
  let timer: NodeJS.Timeout | undefined
  let round = 0

  // The timer outlives an answer and finds out for itself: setting and clearing one for each would cost more.
  const lookIn = (millis: number) => {
    timer ??= setTimeout(suspect, millis)
  }
  const suspect = async () => {
    timer = undefined
    if (waitingSince === undefined || socket.destroyed) return
    const silent = performance.now() - waitingSince
    if (silent < patience.silence) return lookIn(patience.silence - silent)
    const asked = round
    const alive = silent < (patience.limit ?? Number.POSITIVE_INFINITY) && (await showsLife(target, patience.probe))
    if (waitingSince === undefined || socket.destroyed) return
    if (alive || asked !== round) return lookIn(patience.silence)
    socket.destroy(new Error(`The server has not answered for ${Math.round(performance.now() - waitingSince)} ms`))
  }

  const write = socket.write.bind(socket)
  socket.write = ((...args: Parameters<typeof write>) => {
    if (waitingSince === undefined) {
      waitingSince = performance.now()
      lookIn(patience.silence)
    }
    return write(...args)
  }) as typeof socket.write
  socket.on("data", (chunk: Uint8Array) => {
    if (waitingSince === undefined) return
    round++
    // Inside TLS the end of an answer cannot be seen: any byte counts as one.
    waitingSince = mayEncrypt || isComplete(chunk) ? undefined : performance.now()
  })
  socket.once("close", () => clearTimeout(timer))
  return mayEncrypt ? streamOver(socket) : socket
}

const streamOver = (socket: Socket): Duplex => {
  const stream = new Duplex({
    read: () => void socket.resume(),
    write: (chunk, _encoding, done) => void socket.write(chunk, () => done()),
    final: (done) => void socket.end(done),
    destroy: (cause, done) => {
      socket.destroy()
      done(cause)
    }
  })
  socket.on("data", (chunk) => {
    if (!stream.push(chunk)) socket.pause()
  })
  socket.once("end", () => stream.push(null))
  socket.once("error", (cause) => stream.destroy(cause))
  socket.once("close", () => stream.destroy())
  return stream
}
