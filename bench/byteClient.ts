import { randomFillSync } from "node:crypto"
import { closeSync, openSync, readSync, writeSync } from "node:fs"
import { connect } from "node:net"

/** Clients that need little processor time, because they share the cores with the servers. */

const mib = 1024 * 1024

/** Writes a file of bytes that do not repeat. */
export const fillFile = (path: string, size: number): void => {
  const file = openSync(path, "w")
  const piece = Buffer.alloc(mib)
  for (let left = size; left > 0; left -= piece.length) writeSync(file, randomFillSync(piece), 0, Math.min(left, mib))
  closeSync(file)
}

export interface Upload {
  readonly port: number
  readonly path: string
  /** The parts of the body before and after the file. */
  readonly head: string
  readonly tail: string
  readonly headers: string
  /**
   * Bytes, or a file that is read while it is sent. A number in the first bytes makes each upload of the file unique.
   */
  readonly content: { readonly file: string; readonly size: number; readonly number: number } | Buffer
}

/** Sends uploads one after the other over one connection. Each must be answered with 201. */
export const uploads = (port: number) => {
  const socket = connect({ port, host: "127.0.0.1", noDelay: true })
  const piece = Buffer.allocUnsafe(mib)
  let answered: PromiseWithResolvers<void> | undefined
  socket.on("data", (data) => {
    const text = data.toString("latin1")
    if (!text.startsWith("HTTP/1.1 ")) return
    if (text.startsWith("HTTP/1.1 201")) answered?.resolve()
    else answered?.reject(new Error(text))
  })
  socket.on("error", (error) => answered?.reject(error))
  socket.on("close", () => answered?.reject(new Error("The server has closed the connection")))
  const written = (bytes: string | Uint8Array) =>
    new Promise<void>((resolve, reject) => socket.write(bytes, (error) => (error == null ? resolve() : reject(error))))
  const send = async ({ path, head, tail, headers, content }: Omit<Upload, "port">) => {
    answered = Promise.withResolvers()
    const size = Buffer.isBuffer(content) ? content.length : content.size
    const length = head.length + size + tail.length
    socket.write(`PUT ${path} HTTP/1.1\r\nhost: localhost\r\n${headers}content-length: ${length}\r\n\r\n${head}`)
    if (Buffer.isBuffer(content)) socket.write(content)
    else {
      const file = openSync(content.file, "r")
      for (let at = 0; at < size; ) {
        const read = readSync(file, piece, 0, piece.length, at)
        if (at === 0) piece.writeUInt32LE(content.number)
        await written(piece.subarray(0, read))
        at += read
      }
      closeSync(file)
    }
    if (tail !== "") socket.write(tail)
    await answered.promise
  }
  return { send, close: () => socket.destroy() }
}

/** Downloads a resource of `size` bytes from an offset to its end. The answer is counted, not stored. */
export const fetched = (
  { port, path }: { readonly port: number; readonly path: string },
  size: number,
  from = 0
): Promise<void> =>
  new Promise((resolve, reject) => {
    let received = 0
    let body = -1
    const buffer = Buffer.allocUnsafe(mib)
    const socket = connect({
      port,
      host: "127.0.0.1",
      onread: {
        buffer,
        callback: (length) => {
          if (body < 0) {
            const text = buffer.toString("latin1", 0, length)
            if (!text.startsWith("HTTP/1.1 20")) reject(new Error(text.slice(0, 1000)))
            body = text.indexOf("\r\n\r\n") + 4
          }
          received += length
          if (received < body + size - from) return true
          socket.destroy()
          resolve()
          return true
        }
      }
    })
    socket.on("error", reject)
    socket.on("end", () => reject(new Error(`only ${received} bytes came`)))
    const range = from === 0 ? "" : `Range: bytes=${from}-\r\n`
    socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\n${range}\r\n`)
  })
