import { randomUUID } from "node:crypto"
import type { Socket } from "node:net"
import type { EncodedDocuments, LineEncoder } from "../../languages/query/IndexedDocument.ts"

// PostgreSQL's driver makes several objects of each row, which costs more than all else that an extraction does with it.
// The rows of an extraction are therefore encoded from the bytes of the connection, before the driver sees them. The
// driver is shown some rows only: the last one of each piece, by which it tells that there is a piece, and its key. Only
// rows with a key, their last column, end a piece, and the last row of all.

/** Types of PostgreSQL's messages: https://www.postgresql.org/docs/current/protocol-message-formats.html */
const [dataRow, readyForQuery] = [0x44, 0x5a]
const header = 5
/** The driver refuses larger messages; it shall see them. */
const mostBytes = 16 * 1024 * 1024

const before = "/* rows "
const after = " */ "

/** What becomes of the rows of one statement. */
interface RowTap {
  readonly encoder: LineEncoder
  /** Number of columns that are encoded: the first ones. The others are for the driver. */
  readonly fields: number
  /** Size of the encoded rows after which the driver is shown the next one with a key, in bytes. */
  readonly piece: number
}

/** A statement whose rows are encoded from the connection, if it is not encrypted. */
export class TappedRows {
  readonly tap: RowTap
  /** Rows that are not in a piece yet. */
  #rows = 0
  /** A piece for each row that the driver was shown and that nobody has asked for yet. */
  readonly #pieces: Array<EncodedDocuments> = []
  #socket: Socket | undefined
  #isStopped = false

  constructor(tap: RowTap) {
    this.tap = tap
  }

  /** Whether the rows that the driver gives have been encoded. */
  get isTapped(): boolean {
    return this.#socket !== undefined
  }

  /** Encodes the row whose first value begins at `at`, after its length. */
  add(bytes: Uint8Array, at: number): void {
    if (this.#isStopped) return
    this.tap.encoder.add(bytes, at, this.tap.fields)
    this.#rows++
  }

  /** Ends the last piece. Whether there is one that nobody has taken. */
  end(): boolean {
    if (this.#rows > 0) this.cut()
    return this.#pieces.length > 0
  }

  /** Ends a piece behind the last row. */
  cut(): void {
    this.#pieces.push({ bytes: this.tap.encoder.take(), documents: this.#rows })
    this.#rows = 0
  }

  /** The piece that ends with the next row of the driver. */
  take(): EncodedDocuments {
    const piece = this.#pieces.shift()
    if (piece === undefined) throw new Error("the driver gave a row that ends no piece")
    return piece
  }

  begin(socket: Socket): void {
    this.#socket = socket
  }

  /** Lets the server wait. */
  pause(): void {
    this.#socket?.pause()
  }

  resume(): void {
    this.#socket?.resume()
  }

  /** Drops further rows. Called before the statement is cancelled, which reads its answer to the end. */
  stop(): void {
    this.#isStopped = true
    this.resume()
  }
}

/**
 * Whether the last column of a row that ends here is null: its length is -1, and no UTF-8 text ends with these bytes.
 */
const endsWithNull = (bytes: Buffer, to: number): boolean => bytes.readInt32BE(to - 4) === -1

/** Messages of a tapped statement's answer: what of them the driver sees. */
const filterOf = (rows: TappedRows) => {
  const { encoder, piece } = rows.tap
  /** Copies of the start of a message, of whose `need` bytes more must come. */
  let held: Array<Uint8Array> = []
  let heldSize = 0
  let need = 0
  /** The last row, which the driver has not seen: from where to where of which bytes. A view of each would be garbage. */
  let last: Uint8Array | undefined
  let [lastFrom, lastTo] = [0, 0]
  let isOver = false

  const filter = (chunk: Buffer): Buffer => {
    const shown: Array<Uint8Array> = []
    const showLast = () => {
      if (last === undefined) return
      rows.cut()
      shown.push(last.subarray(lastFrom, lastTo))
      last = undefined
    }
    const message = (bytes: Buffer, from: number, to: number) => {
      if (bytes[from] === dataRow && to - from <= mostBytes) {
        // Behind the header stands the number of columns, in 16 bits.
        rows.add(bytes, from + header + 2)
        last = bytes
        lastFrom = from
        lastTo = to
        if (encoder.size >= piece && !endsWithNull(bytes, to)) showLast()
        return
      }
      showLast()
      shown.push(bytes.subarray(from, to))
      isOver = bytes[from] === readyForQuery
    }
    let at = 0
    while (need > 0) {
      const missing = chunk.subarray(0, need - heldSize)
      held.push(Uint8Array.from(missing))
      heldSize += missing.length
      at = missing.length
      if (heldSize < need) return Buffer.concat(shown)
      const whole = Buffer.concat(held)
      need = need === header ? 1 + whole.readInt32BE(1) : need
      if (heldSize < need) {
        held = [whole]
        chunk = chunk.subarray(at)
        at = 0
        continue
      }
      held = []
      heldSize = 0
      need = 0
      message(whole, 0, whole.length)
    }
    while (at < chunk.length) {
      const size = chunk.length - at < header ? header : 1 + chunk.readInt32BE(at + 1)
      if (chunk.length - at < size) {
        held = [Uint8Array.from(chunk.subarray(at))]
        heldSize = chunk.length - at
        need = size
        break
      }
      message(chunk, at, at + size)
      at += size
    }
    // The memory of the chunk is used again.
    if (last !== undefined) {
      last = Uint8Array.from(last.subarray(lastFrom, lastTo))
      lastFrom = 0
      lastTo = last.length
    }
    return shown.length === 1 ? Buffer.from(shown[0]!) : Buffer.concat(shown)
  }
  return { filter, isOver: () => isOver }
}

/** The statements of a pool's connections whose rows are tapped. */
export class RowTaps {
  readonly #waiting = new Map<string, TappedRows>()

  /** Begins a statement's text, by which its connection knows whose rows they are. */
  mark(rows: TappedRows): string {
    const id = randomUUID()
    this.#waiting.set(id, rows)
    return before + id + after
  }

  /** Forgets a statement that may never have been sent. */
  forget(mark: string): void {
    this.#waiting.delete(mark.slice(before.length, -after.length))
  }

  #find(frame: unknown): TappedRows | undefined {
    if (this.#waiting.size === 0 || !(frame instanceof Uint8Array)) return undefined
    const bytes = Buffer.from(frame.buffer, frame.byteOffset, frame.byteLength)
    const at = bytes.indexOf(before)
    if (at === -1) return undefined
    const id = bytes.toString("latin1", at + before.length, at + before.length + 36)
    const found = this.#waiting.get(id)
    this.#waiting.delete(id)
    return found
  }

  /** A view of the connection whose tapped rows are taken out; it sends one statement after the other. */
  over(socket: Socket): Socket {
    let tapped: ReturnType<typeof filterOf> | undefined
    const write = socket.write.bind(socket)
    socket.write = ((...args: Parameters<typeof write>) => {
      const rows = this.#find(args[0])
      if (rows !== undefined) {
        rows.begin(socket)
        tapped = filterOf(rows)
      }
      return write(...args)
    }) as typeof socket.write
    const emit = socket.emit.bind(socket)
    const filtered = (chunk: Buffer): boolean => {
      try {
        // Those who watch the connection hear of all that arrives, also if nothing of it is shown.
        return emit("data", tapped?.filter(chunk) ?? chunk)
      } catch (error) {
        socket.destroy(error instanceof Error ? error : new Error(String(error)))
        return false
      } finally {
        if (tapped?.isOver() === true) tapped = undefined
      }
    }
    socket.emit = ((event: string, ...args: Array<unknown>) =>
      event === "data" && tapped !== undefined && args[0] instanceof Buffer
        ? filtered(args[0])
        : Reflect.apply(emit, socket, [event, ...args])) as typeof socket.emit
    return socket
  }
}
