import { type FileEntry, type Reader, ZipReader } from "@zip.js/zip.js/lib/zip-core-reader.js"
import { type Source, streamOf } from "../../app/source.ts"

type Bytes = Uint8Array<ArrayBuffer>

/** An entry of a zip. It can be read without the others. */
export interface ZipEntry {
  readonly name: string
  readonly size: number
  readonly packed: number
  /** Epoch milliseconds. */
  readonly modified: number
  /** The bytes of the entry. Only the part of the zip that is read is loaded. */
  readonly open: (signal: AbortSignal) => ReadableStream<Bytes>
}

/** The reader from which zip.js reads the directory of a zip. */
const readerOf = (source: Source): Reader<Source> => ({
  size: source.size,
  readUint8Array: (offset, length) => source.read(offset, length),
  get readable() {
    return streamOf(source, 0, source.size)
  },
  createReadable: ({ offset = 0, size = source.size - offset } = {}) => streamOf(source, offset, size)
})

const headBytes = 30
const stored = 0
const deflated = 8

/**
 * The bytes of an entry, inflated by the browser. zip.js can do this too, but reads megabytes ahead when only the first
 * lines are wanted.
 */
const opened = (source: Source, entry: FileEntry, signal: AbortSignal): ReadableStream<Bytes> => {
  const { offset, compressedSize, compressionMethod } = entry
  let packed: ReadableStreamDefaultReader<Bytes> | undefined
  const begin = async () => {
    if (compressionMethod !== stored && compressionMethod !== deflated) {
      throw new Error(`The entry is packed by method ${compressionMethod}, which cannot be read here`)
    }
    const head = await source.read(offset, headBytes, signal)
    const view = new DataView(head.buffer)
    const data = offset + headBytes + view.getUint16(26, true) + view.getUint16(28, true)
    const bytes = streamOf(source, data, compressedSize, signal)
    return (
      compressionMethod === stored ? bytes : bytes.pipeThrough(new DecompressionStream("deflate-raw"))
    ).getReader()
  }
  return new ReadableStream<Bytes>(
    {
      pull: async (controller) => {
        packed ??= await begin()
        const { value, done } = await packed.read()
        if (done) controller.close()
        else controller.enqueue(value)
      },
      cancel: (reason) => packed?.cancel(reason)
    },
    { highWaterMark: 0 }
  )
}

/** A zip has no time zone: the gateway writes UTC, and zip.js reads it as local time. */
const utc = (at: Date): number =>
  Date.UTC(at.getFullYear(), at.getMonth(), at.getDate(), at.getHours(), at.getMinutes(), at.getSeconds())

/** The entries of a zip, from the directory at its end. */
export const entriesOf = async (source: Source): Promise<ReadonlyArray<ZipEntry>> => {
  const zip = new ZipReader(readerOf(source), { useWebWorkers: false })
  const found = await zip.getEntries()
  return found.flatMap((entry): ReadonlyArray<ZipEntry> => {
    if (entry.directory) return []
    const { filename, uncompressedSize, compressedSize, lastModDate } = entry
    return [
      {
        name: filename,
        size: uncompressedSize,
        packed: compressedSize,
        modified: utc(lastModDate),
        open: (signal) => opened(source, entry, signal)
      }
    ]
  })
}
