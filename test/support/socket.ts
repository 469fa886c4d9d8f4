import { connect, type Socket } from "node:net"
import { holdRaw } from "./answers.ts"
import { patience } from "./process.ts"

/** An answer as received over the connection. */
export interface RawAnswer {
  readonly status: number
  readonly headers: ReadonlyMap<string, string>
  readonly body: Buffer
  /** All received bytes, including the head; empty if the server closed without an answer. */
  readonly bytes: Buffer
}

const dechunk = (body: Buffer): Buffer => {
  const pieces: Array<Buffer> = []
  for (let at = 0; at < body.length; ) {
    const end = body.indexOf("\r\n", at)
    const size = Number.parseInt(body.toString("latin1", at, end), 16)
    if (end === -1 || !(size > 0)) break
    pieces.push(body.subarray(end + 2, end + 2 + size))
    at = end + 2 + size + 2
  }
  return Buffer.concat(pieces)
}

/** The first answer in the bytes; status 0 if there is none. Interim answers (1xx) are skipped. */
export const parseAnswer = (bytes: Buffer): RawAnswer => {
  let rest = bytes
  for (;;) {
    const end = rest.indexOf("\r\n\r\n")
    const [line = "", ...fields] = rest.toString("latin1", 0, Math.max(0, end)).split("\r\n")
    const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(line)?.[1] ?? 0)
    const body = rest.subarray(end + 4)
    if (status >= 100 && status < 200 && status !== 101) {
      rest = body
      continue
    }
    const headers = new Map(
      fields.map((field) => {
        const colon = field.indexOf(":")
        return [field.slice(0, colon).toLowerCase(), field.slice(colon + 1).trim()] as const
      })
    )
    const length = headers.get("content-length")
    const whole = headers.get("transfer-encoding") === "chunked" ? dechunk(body) : body
    return { status, headers, body: length === undefined ? whole : whole.subarray(0, Number(length)), bytes }
  }
}

/** A connection that sends bytes unchanged. */
export interface RawSocket {
  readonly socket: Socket
  readonly write: (bytes: string | Uint8Array) => void
  readonly received: () => Buffer
  readonly closed: Promise<void>
  readonly isClosed: () => boolean
}

export const openSocket = (port: number): Promise<RawSocket> =>
  new Promise((resolve, reject) => {
    const chunks: Array<Uint8Array> = []
    let over = false
    const socket = connect(port, "127.0.0.1")
    const closed = new Promise<void>((done) =>
      socket.once("close", () => {
        over = true
        done()
      })
    )
    socket.once("error", reject)
    socket.on("data", (chunk: Buffer) => chunks.push(chunk))
    socket.once("connect", () => {
      socket.off("error", reject)
      socket.on("error", () => {})
      resolve({
        socket,
        write: (bytes) => void socket.write(typeof bytes === "string" ? Buffer.from(bytes, "latin1") : bytes),
        received: () => Buffer.concat(chunks),
        closed,
        isClosed: () => over
      })
    })
  })

/** Sends bytes and reads until the server closes the connection; fails after `millis`. Text is sent as Latin-1. */
export const exchange = async (
  port: number,
  request: string | Uint8Array | ReadonlyArray<string | Uint8Array>,
  millis = patience
): Promise<RawAnswer> => {
  const connection = await openSocket(port)
  const pieces = typeof request === "string" || request instanceof Uint8Array ? [request] : request
  for (const piece of pieces) connection.write(piece)
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      const seen = connection.received().toString("latin1").slice(0, 200)
      reject(new Error(`Not answered within ${millis} ms: ${String(pieces[0]).slice(0, 200)} → ${seen}`))
    }, millis)
  })
  try {
    await Promise.race([connection.closed, late])
    return parseAnswer(connection.received())
  } finally {
    clearTimeout(timer)
    connection.socket.destroy()
  }
}

/** A request whose target is sent as written, without normalisation. */
export const rawRequest = async (
  port: number,
  method: string,
  target: string,
  headers: Readonly<Record<string, string>> = {},
  body: string | Uint8Array = ""
): Promise<RawAnswer> => {
  const bytes = typeof body === "string" ? Buffer.from(body) : body
  const length = bytes.length > 0 || method === "POST" || method === "PUT" ? { "Content-Length": bytes.length } : {}
  const fields = Object.entries({ Host: "127.0.0.1", ...length, Connection: "close", ...headers })
  const head = `${method} ${target} HTTP/1.1\r\n${fields.map(([name, value]) => `${name}: ${value}\r\n`).join("")}\r\n`
  const answer = await exchange(port, [head, bytes])
  const { status, headers: received, body: sent } = answer
  await holdRaw(port, { method, path: target, status, headers: new Headers([...received]) }, sent)
  return answer
}

export const rawGet = (port: number, target: string, headers: Readonly<Record<string, string>> = {}) =>
  rawRequest(port, "GET", target, headers)
