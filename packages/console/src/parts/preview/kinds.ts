/** The kinds of preview. */
export type Kind = "csv" | "tsv" | "ndjson" | "json" | "parquet" | "log" | "text" | "picture" | "binary"

const kinds: Readonly<Record<string, Kind>> = {
  csv: "csv",
  tsv: "tsv",
  ndjson: "ndjson",
  jsonl: "ndjson",
  json: "json",
  parquet: "parquet",
  log: "log",
  png: "picture",
  jpg: "picture",
  jpeg: "picture",
  gif: "picture",
  webp: "picture",
  avif: "picture",
  svg: "picture",
  zip: "binary",
  zst: "binary"
}

/** The kind of a file by its name, and whether it is compressed with gzip. */
export const kindOf = (name: string): { readonly kind: Kind; readonly isGzip: boolean } => {
  const isGzip = /\.gz$/i.test(name)
  const extension = /\.(\w+)$/.exec(isGzip ? name.slice(0, -3) : name)?.[1]?.toLowerCase() ?? ""
  return { kind: kinds[extension] ?? "text", isGzip }
}
