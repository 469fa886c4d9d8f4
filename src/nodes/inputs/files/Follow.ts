import { RecordReader } from "../../formats/RecordReader.ts"
import type { Emit, NodeContext } from "../../Node.ts"
import { formatOf } from "./Format.ts"

/** Follows growing files until the run ends. The saved position covers the whole lines that every node has taken. */
export const follow = async (
  path: string,
  format: "lines" | "ndjson" | undefined,
  context: NodeContext,
  emit: Emit
): Promise<void> => {
  const readers = new Map<number, RecordReader>()
  for await (const growth of context.tail(path, context.position.load())) {
    let reader = readers.get(growth.file)
    if (reader === undefined) {
      reader = new RecordReader(format ?? (formatOf(growth.path) === "ndjson" ? "ndjson" : "lines"), context, emit)
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
