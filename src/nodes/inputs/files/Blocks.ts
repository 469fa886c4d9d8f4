import { concatBytes } from "../../../languages/ConcatBytes.ts"
import { replacedIn, withoutMark } from "../../../languages/Encoding.ts"
import type { Block, BlockFormat } from "../../Capabilities.ts"
import { textReader } from "../../formats/TextReader.ts"
import { maxLineBytes } from "../../formats/WholeLines.ts"
import { chosen, type Emit, type Event, type NodeContext } from "../../Node.ts"
import type { OpenFile } from "../../ports/NodeFiles.ts"
import { batchRecords } from "../../records/BatchSize.ts"
import { Failures } from "../../records/Failures.ts"

/** Size of a piece of a file in bytes; a block contains the lines that end in a piece. */
export const blockBytes = 262_144
export const lineEnd = 10

/**
 * Prepares a block for another thread, with the memory to transfer: buffers of its own are transferred, parts of other
 * buffers are copied.
 */
export const portable = ({ pieces, isFirst }: Block): readonly [block: Block, memory: Array<ArrayBuffer>] => {
  const moved = pieces.map((piece) =>
    piece.buffer instanceof ArrayBuffer && piece.buffer.byteLength === blockBytes
      ? new Uint8Array(piece.buffer, piece.byteOffset, piece.length)
      : new Uint8Array(piece)
  )
  return [{ pieces: moved, isFirst }, moved.map(({ buffer }) => buffer)]
}

/** Divides the bytes into pieces of {@link blockBytes}; the last one may be shorter. */
async function* even(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let pieces: Array<Uint8Array> = []
  let size = 0
  for await (const chunk of chunks) {
    let rest = chunk
    while (size + rest.length >= blockBytes) {
      pieces.push(rest.subarray(0, blockBytes - size))
      rest = rest.subarray(blockBytes - size)
      yield pieces.length === 1 ? pieces[0]! : concatBytes(pieces)
      pieces = []
      size = 0
    }
    if (rest.length > 0) pieces.push(rest)
    size += rest.length
  }
  if (size > 0) yield concatBytes(pieces)
}

/** Divides a file into blocks. The boundaries depend on the file alone, not on the chunks. */
export const blocks = (chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Block> => cut(even(chunks))

/**
 * Divides an open file into blocks, up to its end. The memory of a block is reused when the next but one is requested.
 */
export const blocksOf = (file: OpenFile): AsyncGenerator<Block> => cut(filled(file))

/** Reads the file in pieces of {@link blockBytes}; the last may be shorter. Two buffers are used in turn. */
async function* filled(file: OpenFile): AsyncGenerator<Uint8Array> {
  let [memory, other] = [new Uint8Array(blockBytes), new Uint8Array(blockBytes)]
  let next = file.read(memory, 0)
  try {
    for (let at = blockBytes, isMore = true; isMore; at += blockBytes) {
      const read = await next
      isMore = read === blockBytes
      const piece = memory.subarray(0, read)
      ;[memory, other] = [other, memory]
      // Reads the next piece while this one is processed.
      if (isMore) next = file.read(memory, at)
      if (read > 0) yield piece
    }
  } finally {
    await next.catch(() => {})
  }
}

async function* cut(evenPieces: AsyncIterable<Uint8Array>): AsyncGenerator<Block> {
  /** The pieces of an unfinished line. */
  let begun: Array<Uint8Array> = []
  let size = 0
  let isFirst = true
  for await (const piece of evenPieces) {
    // Bytes over the limit of a line are dropped, up to its end.
    const over = size >= maxLineBytes
    const from = over ? piece.indexOf(lineEnd) : 0
    const to = piece.lastIndexOf(lineEnd) + 1
    if (to === 0) {
      if (over) continue
      begun.push(new Uint8Array(piece))
      size += piece.length
      continue
    }
    // Copied before the block is passed on, because the receiver may transfer its memory.
    const rest = new Uint8Array(piece.subarray(to))
    yield { pieces: [...begun, piece.subarray(from, to)], isFirst }
    isFirst = false
    begun = rest.length > 0 ? [rest] : []
    size = rest.length
  }
  if (size > 0) yield { pieces: begun, isFirst }
}

/**
 * Bytes that are decoded and sent at once. Their text and their records are small enough for the young generation of the
 * heap, where they die before they are moved: with whole blocks, the old generation fills with dead texts.
 */
export const portionBytes = 65_536

/** Divides the bytes at line ends; a longer line is divided anywhere. */
function* portions(bytes: Uint8Array): Generator<Uint8Array> {
  for (let from = 0; from < bytes.length; ) {
    const most = Math.min(from + portionBytes, bytes.length)
    const lines = most === bytes.length ? most : bytes.lastIndexOf(lineEnd, most - 1) + 1
    const to = lines > from ? lines : most
    yield bytes.subarray(from, to)
    from = to
  }
}

/** Sends the records of a block, then its failures. */
export const sendBlock = async (
  { pieces, isFirst }: Block,
  format: BlockFormat,
  context: NodeContext,
  emit: Emit
): Promise<void> => {
  const failures = new Failures(context)
  const reader = textReader(format, failures)
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true })
  let begun = !isFirst
  let isReplaced = false
  const texts = function* () {
    for (const piece of pieces) for (const bytes of portions(piece)) yield decoder.decode(bytes, { stream: true })
    yield decoder.decode()
  }
  const send = async (events: ReadonlyArray<Event>) => {
    for (let at = 0; at < events.length; at += batchRecords) {
      await emit(chosen, events.length <= batchRecords ? events : events.slice(at, at + batchRecords))
    }
  }
  for (const text of texts()) {
    if (text === "") continue
    isReplaced ||= text.includes("\ufffd")
    const events: Array<Event> = []
    reader.push(begun ? text : withoutMark(text), events)
    begun = true
    await send(events)
  }
  const last: Array<Event> = []
  reader.end(last)
  await send(last)
  if (isReplaced) {
    const bytes = concatBytes(pieces)
    const count = replacedIn(bytes, new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes), "utf-8")
    if (count > 0) context.replaced?.(count)
  }
  await failures.send(emit)
}
