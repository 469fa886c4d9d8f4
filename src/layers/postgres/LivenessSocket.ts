import { connect, type NetConnectOpts, type Socket } from "node:net"

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
export const showsLife = (target: NetConnectOpts, millis: number): Promise<boolean> =>
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
 */
export const connectWatched = (target: NetConnectOpts, patience: Patience, encrypted: boolean): Socket => {
  const socket = connect(target)
  socket.setNoDelay(true)
  let waitingSince: number | undefined
  let timer: NodeJS.Timeout | undefined
  let round = 0

  const rest = () => {
    waitingSince = undefined
    clearTimeout(timer)
    timer = undefined
  }
  const arm = () => {
    waitingSince = performance.now()
    timer ??= setTimeout(suspect, patience.silence)
  }
  const suspect = async () => {
    timer = undefined
    if (waitingSince === undefined || socket.destroyed) return
    const silent = performance.now() - waitingSince
    if (silent < patience.silence) {
      timer = setTimeout(suspect, patience.silence - silent)
      return
    }
    const asked = ++round
    const alive = silent < (patience.limit ?? Number.POSITIVE_INFINITY) && (await showsLife(target, patience.probe))
    if (asked !== round || waitingSince === undefined || socket.destroyed) return
    if (alive) timer ??= setTimeout(suspect, patience.silence)
    else socket.destroy(new Error(`The server has not answered for ${Math.round(performance.now() - waitingSince)} ms`))
  }

  const write = socket.write.bind(socket)
  socket.write = ((...args: Parameters<typeof write>) => {
    if (waitingSince === undefined) arm()
    return write(...args)
  }) as typeof socket.write
  socket.on("data", (chunk: Uint8Array) => {
    if (waitingSince === undefined) return
    round++
    // Inside TLS the end of an answer cannot be seen: any byte counts as one.
    if (encrypted || isComplete(chunk)) rest()
    else arm()
  })
  socket.once("close", rest)
  return socket
}
