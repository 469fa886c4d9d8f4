import { type Reading, RecordReader } from "../../formats/RecordReader.ts"
import { type Emit, errors, type NodeContext } from "../../Node.ts"
import type { InputFiles } from "../../ports/NodeFiles.ts"
import type { Growth } from "../../ports/Position.ts"
import { withSources } from "../../records/Source.ts"
import { formatOf } from "./Format.ts"

/** How the files are read; the name of a file decides about its format where none is given. */
interface Following extends Pick<Reading, "encoding" | "multiline"> {
  readonly path: string
  readonly format: "lines" | "ndjson" | undefined
  /** Whether records say where they are from. */
  readonly source: boolean
}

/** Follows growing files until the run ends. The saved position covers the records that every node has taken. */
export const follow = async (
  { path, format, encoding, multiline, source }: Following,
  files: InputFiles,
  context: NodeContext,
  emit: Emit
): Promise<void> => {
  const readers = new Map<number, RecordReader>()
  const { component, isSourced = false, scope } = context
  const readerOf = ({ path, content, counts, encoding, from }: Growth) => {
    /** A record is numbered within its file: only that is the same in all attempts, because files grow meanwhile. */
    const emitCounted: Emit = (stream, batch) => {
      const kind = stream === errors ? "failures" : "records"
      const from = counts[kind]
      counts[kind] += batch.length
      if (!isSourced) return emit(stream, batch)
      return emit(stream, withSources(batch, JSON.stringify([scope, component, kind, content]), from))
    }
    const given = format ?? (formatOf(path) === "ndjson" ? "ndjson" : "lines")
    const named = source ? path : undefined
    return new RecordReader({ format: given, encoding, multiline, named, from }, context, emitCounted)
  }
  // Nothing waits for the message: the run continues without the file.
  const tell = (text: string) => void Promise.resolve(context.print([text])).catch(() => {})
  const dueAfter = multiline?.flush_after
  for await (const growth of files.tail(path, context.position.load(), { encoding, dueAfter, tell })) {
    const reader = readers.get(growth.file) ?? readerOf(growth)
    readers.set(growth.file, reader)
    await reader.push(growth.bytes)
    if (growth.ended) {
      await reader.end()
      readers.delete(growth.file)
    } else {
      if (growth.isDue) reader.flush()
      await reader.send()
      growth.reach(reader.place)
    }
    context.behind?.(growth.behind)
    // Nothing comes after this: the position is that of the tail, which goes on at once.
    context.position.save(growth.position)
  }
}
