import { joined } from "../../../languages/Joined.ts"
import { batchRecords } from "../../Batch.ts"
import type { Block, BlockFormat } from "../../Capabilities.ts"
import { Failures } from "../../Failures.ts"
import { textReader } from "../../formats/TextReader.ts"
import { chosen, type Emit, type Event, type NodeContext, type OpenFile } from "../../Node.ts"

/** A block holds the lines that end in this many bytes of a file. */
export const blockBytes = 262_144
/**
 * How much of a line is kept that does not end: a character has three bytes at most for each UTF-16 unit, so that one
 * of this size is longer than a line may be, whatever it holds.
 */
export const maxLineBytes = 4 * 1024 * 1024
export const lineEnd = 10

/**
 * The block for another thread, with the memory that goes over to it: what was read as a whole is given away, the rest
 * is copied.
 */
export const portable = ({ pieces, isFirst }: Block): readonly [block: Block, memory: Array<ArrayBuffer>] => {
  const moved = pieces.map((piece) =>
    piece.buffer instanceof ArrayBuffer && piece.buffer.byteLength === blockBytes
      ? new Uint8Array(piece.buffer, piece.byteOffset, piece.length)
      : new Uint8Array(piece)
  )
  return [{ pieces: moved, isFirst }, moved.map(({ buffer }) => buffer)]
}

/** The bytes in pieces of {@link blockBytes}, the last one excepted. */
async function* even(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let pieces: Array<Uint8Array> = []
  let size = 0
  for await (const chunk of chunks) {
    let rest = chunk
    while (size + rest.length >= blockBytes) {
      pieces.push(rest.subarray(0, blockBytes - size))
      rest = rest.subarray(blockBytes - size)
      yield pieces.length === 1 ? pieces[0]! : joined(pieces)
      pieces = []
      size = 0
    }
    if (rest.length > 0) pieces.push(rest)
    size += rest.length
  }
  if (size > 0) yield joined(pieces)
}

/** Cuts a file into blocks. Where they end depends on the file alone, not on the chunks in which it comes. */
export const blocks = (chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Block> => cut(even(chunks))

/** The same of an open file, until it ends. The memory of a block is used again when the next but one is asked for. */
export const blocksOf = (file: OpenFile): AsyncGenerator<Block> => cut(filled(file))

/** The bytes of the file in pieces of {@link blockBytes}, the last one excepted, each in the memory of the last but one. */
async function* filled(file: OpenFile): AsyncGenerator<Uint8Array> {
  let [memory, other] = [new Uint8Array(blockBytes), new Uint8Array(blockBytes)]
  let next = file.read(memory, 0)
  try {
    for (let at = blockBytes, isMore = true; isMore; at += blockBytes) {
      const read = await next
      isMore = read === blockBytes
      const piece = memory.subarray(0, read)
      ;[memory, other] = [other, memory]
      // The next piece comes while this one is worked on.
      if (isMore) next = file.read(memory, at)
      if (read > 0) yield piece
    }
  } finally {
    await next.catch(() => {})
  }
}

async function* cut(evenPieces: AsyncIterable<Uint8Array>): AsyncGenerator<Block> {
  /** The beginning of a line that has not ended. */
  let begun: Array<Uint8Array> = []
  let size = 0
  let isFirst = true
  for await (const piece of evenPieces) {
    // What is over the limit of a line is left out, up to its end.
    const over = size >= maxLineBytes
    const from = over ? piece.indexOf(lineEnd) : 0
    const to = piece.lastIndexOf(lineEnd) + 1
    if (to === 0) {
      if (over) continue
      begun.push(new Uint8Array(piece))
      size += piece.length
      continue
    }
    // A copy, and made before: whoever takes the block may give its memory away.
    const rest = new Uint8Array(piece.subarray(to))
    yield { pieces: [...begun, piece.subarray(from, to)], isFirst }
    isFirst = false
    begun = rest.length > 0 ? [rest] : []
    size = rest.length
  }
  if (size > 0) yield { pieces: begun, isFirst }
}

const textOf = (pieces: ReadonlyArray<Uint8Array>, isFirst: boolean): string => {
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true })
  let text = ""
  for (const piece of pieces) text += decoder.decode(piece, { stream: true })
  text += decoder.decode()
  return isFirst && text.charCodeAt(0) === 0xfeff ? text.slice(1) : text
}

/** Sends the records of a block, then its failures. */
export const sendBlock = async (
  { pieces, isFirst }: Block,
  format: BlockFormat,
  context: NodeContext,
  emit: Emit
): Promise<void> => {
  const failures = new Failures(context)
  const events: Array<Event> = []
  const reader = textReader(format, failures)
  reader.push(textOf(pieces, isFirst), events)
  reader.end(events)
  for (let at = 0; at < events.length; at += batchRecords) {
    await emit(chosen, events.length <= batchRecords ? events : events.slice(at, at + batchRecords))
  }
  await failures.send(emit)
}
