import { Socket } from "node:net"
import { assert, describe, it } from "@effect/vitest"
import { RowTaps, TappedRows } from "../../src/drivers/search/RowTap.ts"
import { CsvLines } from "../../src/nodes/outputs/extraction/CsvLines.ts"
import { framed } from "../support/framed.ts"
import { type Random, randomOf } from "./generated.ts"

const message = (type: string, body: Uint8Array): Buffer => {
  const head = Buffer.alloc(5)
  head.write(type, "latin1")
  head.writeInt32BE(4 + body.length, 1)
  return Buffer.concat([head, body])
}

/** A row with its values, and perhaps a key, which the driver reads. */
const rowOf = (values: ReadonlyArray<string | null>, key: string | null): Buffer => {
  const count = Buffer.alloc(2)
  count.writeInt16BE(values.length + 1)
  return message("D", Buffer.concat([count, framed([...values, key])]))
}

const begun = [message("1", Buffer.alloc(0)), message("2", Buffer.alloc(0)), message("T", Buffer.from("columns"))]
const ended = [message("C", Buffer.from("SELECT\0")), message("Z", Buffer.from("I"))]

/** A connection without a server: the written bytes, and what the driver reads of `arrive`. */
const connection = () => {
  const taps = new RowTaps()
  const socket = new Socket()
  socket.write = () => true
  taps.over(socket)
  const seen: Array<Buffer> = []
  socket.on("data", (chunk: Buffer) => seen.push(Buffer.from(chunk)))
  /** In pieces of any size, of a buffer that is used again. */
  const arrive = (bytes: Buffer, random: Random) => {
    const shared = Buffer.alloc(5000)
    for (let at = 0; at < bytes.length; ) {
      const size = bytes.copy(shared, 0, at, at + 1 + random.below(random.chance(0.5) ? 12 : shared.length))
      socket.emit("data", shared.subarray(0, size))
      shared.fill(0x44)
      at += size
    }
  }
  return { taps, socket, arrive, seen: () => Buffer.concat(seen.splice(0)) }
}

describe("rows that are encoded from a connection", () => {
  it("are all in the pieces, which end with rows that have keys and that the driver sees, however the bytes arrive", () => {
    const random = randomOf(53)
    for (let round = 0; round < 200; round++) {
      const { taps, socket, arrive, seen } = connection()
      const piece = 1 + random.below(2000)
      const rows = new TappedRows({ encoder: new CsvLines([]), fields: 2, piece })
      socket.write(Buffer.from(`P....${taps.mark(rows)}select 1`))
      const values = Array.from({ length: random.below(60) }, (_, n) => [
        `${n}`,
        random.chance(0.2) ? null : "x".repeat(random.below(random.chance(0.1) ? 9000 : 50))
      ])
      const keys = values.map((_, n) => (random.chance(0.3) ? `key ${n}` : null))
      const sent = values.map((row, n) => rowOf(row, keys[n]!))
      arrive(Buffer.concat([...begun, ...sent, ...ended]), random)
      let shown = seen()
      const skip = (some: Buffer) => {
        assert.isTrue(shown.subarray(0, some.length).equals(some), `round ${round}`)
        shown = shown.subarray(some.length)
      }
      for (const one of begun) skip(one)
      let passed = 0
      let csv = ""
      while (shown[0] === 0x44) {
        const { bytes, documents } = rows.take()
        csv += Buffer.from(bytes).toString()
        passed += documents
        skip(sent[passed - 1]!)
        // The last row ends a piece in any case.
        if (passed < values.length) {
          assert.isNotNull(keys[passed - 1])
          assert.isAtLeast(bytes.length, piece)
        }
      }
      assert.isFalse(rows.end())
      for (const one of ended) skip(one)
      assert.deepStrictEqual([passed, shown.length, rows.isTapped], [values.length, 0, true])
      assert.strictEqual(csv, values.map((row) => `${row.map((value) => value ?? "").join(",")}\r\n`).join(""))
      // The next statement of the connection is not tapped.
      socket.write(Buffer.from("P....select 2"))
      const next = Buffer.concat([...begun, rowOf(["a", "b"], "c"), ...ended])
      arrive(next, random)
      assert.isTrue(seen().equals(next))
    }
  })

  it("are shown as they were, though the connection reads on into the same memory", () => {
    const { taps, socket, seen } = connection()
    const rows = new TappedRows({ encoder: new CsvLines([]), fields: 1, piece: 1e9 })
    socket.write(Buffer.from(taps.mark(rows)))
    const row = rowOf(["value"], "key")
    const shared = Buffer.from(row)
    socket.emit("data", shared)
    shared.fill(0)
    socket.emit("data", Buffer.concat(ended))
    assert.isTrue(seen().equals(Buffer.concat([row, ...ended])))
  })

  it("are dropped once nobody wants them, and the connection reads on to the end of the answer", () => {
    const { taps, socket, arrive, seen } = connection()
    const encoder = new CsvLines([])
    const rows = new TappedRows({ encoder, fields: 1, piece: 1e9 })
    socket.write(Buffer.from(taps.mark(rows)))
    arrive(rowOf(["wanted"], ""), randomOf(1))
    rows.pause()
    assert.isTrue(socket.isPaused())
    rows.stop()
    assert.isFalse(socket.isPaused())
    const { size } = encoder
    arrive(Buffer.concat([rowOf(["not any more"], ""), ...ended]), randomOf(1))
    assert.deepStrictEqual([encoder.size, size > 0], [0, true])
    assert.strictEqual(Buffer.from(rows.take().bytes).toString(), "wanted\r\n")
    assert.isTrue(seen().subarray(-Buffer.concat(ended).length).equals(Buffer.concat(ended)))
  })

  it("of a statement that was never sent leave nothing behind", () => {
    const { taps, socket, arrive, seen } = connection()
    const rows = new TappedRows({ encoder: new CsvLines([]), fields: 1, piece: 1 })
    const mark = taps.mark(rows)
    taps.forget(mark)
    socket.write(Buffer.from(mark))
    arrive(rowOf(["a"], "b"), randomOf(1))
    assert.isFalse(rows.isTapped)
    assert.isTrue(seen().equals(rowOf(["a"], "b")))
  })
})
