import { RecordReader } from "../../formats/RecordReader.ts"
import { type Emit, errors, type NodeContext } from "../../Node.ts"
import type { InputFiles } from "../../NodeFiles.ts"
import { withSources } from "../../Source.ts"
import { formatOf } from "./Format.ts"

/** Follows growing files until the run ends. The saved position covers the whole lines that every node has taken. */
export const follow = async (
  path: string,
  files: InputFiles,
  format: "lines" | "ndjson" | undefined,
  context: NodeContext,
  emit: Emit
): Promise<void> => {
  const readers = new Map<number, RecordReader>()
  const { component, isSourced = false, scope } = context
  for await (const growth of files.tail(path, context.position.load())) {
    let reader = readers.get(growth.file)
    if (reader === undefined) {
      const { content, counts } = growth
      /** Only the position of a record in its file is the same in all attempts: files grow meanwhile. */
      const emitCounted: Emit = (stream, batch) => {
        const kind = stream === errors ? "failures" : "records"
        const from = counts[kind]
        counts[kind] += batch.length
        if (!isSourced) return emit(stream, batch)
        return emit(stream, withSources(batch, JSON.stringify([scope, component, kind, content]), from))
      }
      const given = format ?? (formatOf(growth.path) === "ndjson" ? "ndjson" : "lines")
      reader = new RecordReader(given, context, emitCounted)
      readers.set(growth.file, reader)
    }
    await reader.push(growth.bytes)
    if (growth.ended) {
      await reader.end()
      readers.delete(growth.file)
    } else await reader.send()
    context.behind?.(growth.behind)
    context.position.save(growth.position)
  }
}
