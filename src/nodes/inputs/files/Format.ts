import type { FileFormat } from "../../Capabilities.ts"
import { extensionOf } from "../../settings/Paths.ts"

export const formats = ["lines", "ndjson", "csv", "parquet"] as const satisfies ReadonlyArray<FileFormat>
export type Format = (typeof formats)[number]

/** The format of a file by its name; a final `.gz` or `.zst` is ignored. */
export const formatOf = (path: string): Format => {
  const extension = extensionOf(path)
  if (extension === "csv" || extension === "parquet") return extension
  return extension === "ndjson" || extension === "jsonl" || extension === "json" ? "ndjson" : "lines"
}
