import { Readable } from "node:stream"

/**
 * Size of the pieces that a connection receives, in bytes. If it takes less than one piece within a deadline, the
 * storage counts as silent.
 */
const piece = 64 * 1024

/**
 * A body that is sent piece by piece and reports each piece that the connection has taken. For a large buffer, Node
 * reports only its end, and its socket timeout restarts whenever any byte was sent; a server that stops reading would
 * be noticed only after twice the time.
 */
export const inPieces = (body: Uint8Array, taken: () => void): Readable => {
  let at = 0
  return new Readable({
    highWaterMark: piece,
    read() {
      taken()
      this.push(at < body.length ? body.subarray(at, at + piece) : null)
      at += piece
    }
  })
}
