import { Option } from "effect"
import { Mime } from "effect/http"

/** Text formats of configuration folders that the common media type tables lack or get wrong. */
const own: Record<string, string> = {
  yaml: "application/yaml",
  yml: "application/yaml",
  hjson: "application/hjson",
  json: "application/json",
  ndjson: "application/x-ndjson",
  md: "text/markdown; charset=utf-8",
  log: "text/plain; charset=utf-8",
  conf: "text/plain; charset=utf-8",
  properties: "text/plain; charset=utf-8",
  csv: "text/csv; charset=utf-8",
  txt: "text/plain; charset=utf-8",
  py: "text/x-python; charset=utf-8",
  ts: "text/plain; charset=utf-8",
  gz: "application/gzip",
  parquet: "application/vnd.apache.parquet"
}

/** The media type for the extension of a file name; `application/octet-stream` for unknown extensions. */
export const mediaTypeOf = (path: string): string => {
  const name = path.slice(path.lastIndexOf("/") + 1)
  const dot = name.lastIndexOf(".")
  const extension = dot <= 0 ? "" : name.slice(dot + 1).toLowerCase()
  if (Object.hasOwn(own, extension)) return own[extension]!
  return Option.getOrElse(extension === "" ? Option.none() : Mime.getType(name), () => "application/octet-stream")
}
