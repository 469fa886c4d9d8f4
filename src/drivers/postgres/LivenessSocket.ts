import { connect, type NetConnectOpts, type Socket } from "node:net"
import { Duplex } from "node:stream"

/** How long a server may be silent, in milliseconds. */
export interface Patience {
  /** Silence after a query until the server is probed. */
  readonly silence: number
  /** Time limit of the probe. */
  readonly probe: number
  /** Silence that ends the connection even if the server responds to the probe; absent for long statements. */
  readonly limit?: number
}

/**
 * The host and port of a `postgres://` URL. A `host` parameter that begins with a slash is a folder of Unix sockets.
 */
export const targetOf = (url: URL): NetConnectOpts => {
  const port = Number(url.searchParams.get("port") ?? (url.port === "" ? 5432 : url.port))
  const host = url.searchParams.get("host") ?? decodeURIComponent(url.hostname)
  if (host.startsWith("/")) return { path: `${host}/.s.PGSQL.${port}` }
  return { host: host === "" ? "localhost" : host.replace(/^\[|\]$/g, ""), port }
}

/** `SSLRequest`: the only message that every PostgreSQL and every pooler answers with one byte before any login. */
const sslRequest = Uint8Array.of(0, 0, 0, 8, 4, 210, 22, 47)

/**
 * A timer that reads first what has arrived. After a pause of the whole process (a busy machine, a suspended one, a
 * stopped container) timers run before anything is read: an answer that waits in the socket would count as silence.
 */
const afterReading = (millis: number, check: () => void): NodeJS.Timeout =>
  setTimeout(() => setImmediate(check), millis)

/** Whether a server at this address responds at all. */
const showsLife = (target: NetConnectOpts, millis: number): Promise<boolean> =>
  new Promise((done) => {
    const socket = connect(target)
    const end = (alive: boolean) => {
      clearTimeout(timer)
      socket.destroy()
      done(alive)
    }
    const timer = afterReading(millis, () => end(false))
    socket.once("data", () => end(true))
    socket.once("error", () => end(false))
    socket.once("close", () => end(false))
    socket.write(sslRequest)
  })

/** Whether the last message is `ReadyForQuery`: the server has finished its answer. */
const isComplete = (chunk: Uint8Array): boolean => {
  const at = chunk.length - 6
  return at >= 0 && chunk[at] === 0x5a && chunk[at + 1] === 0 && chunk[at + 3] === 0 && chunk[at + 4] === 5
}

/**
 * A connection that closes itself when the server has stopped responding (frozen process, broken network path) while
 * the connection stays open. Every pending statement then fails, and the pool replaces the connection. A slow statement
 * on a live server is not interrupted: because silence alone proves nothing, the server is first probed on a second
 * connection.
 *
 * @param mayEncrypt whether TLS may run on this connection. Node's TLS bypasses all listeners of a socket; a stream in
 * between keeps its bytes visible
 * @param isAwaited whether an answer is awaited. Callers that know pass it, because the bytes inside TLS do not show it;
 *   without it, a server that stops responding in the middle of such an answer is not noticed
 */
export const connectWatched = (
  target: NetConnectOpts,
  patience: Patience,
  mayEncrypt: boolean,
  isAwaited?: () => boolean
): Duplex => {
  const socket = connect(target)
  socket.setNoDelay(true)
  let waitingSince: number | undefined
  let timer: NodeJS.Timeout | undefined
  let round = 0

  // The timer is not cleared when an answer arrives; it checks by itself. Setting and clearing one per statement would
  // cost more.
  const lookIn = (millis: number) => {
    timer ??= afterReading(millis, suspect)
  }
  const suspect = async () => {
    timer = undefined
    if (waitingSince === undefined || socket.destroyed) return
    if (isAwaited?.() === false) waitingSince = performance.now()
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
    // Inside TLS the end of an answer is not visible, so without `isAwaited` any byte counts as one.
    const isOver = isAwaited === undefined && (mayEncrypt || isComplete(chunk))
    waitingSince = isOver ? undefined : performance.now()
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
