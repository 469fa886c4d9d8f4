import { Result, Schema } from "effect"
import { encodings } from "../../languages/Encoding.ts"
import { runtimes } from "../../protocol/Flowline.ts"
import type { Reference } from "../../protocol/References.ts"
import type { Block, BlockFormat } from "../Capabilities.ts"
import { multilineFaults, multilineSettings } from "../formats/Multiline.ts"
import { type Reading, RecordReader } from "../formats/RecordReader.ts"
import { type CheckContext, chosen, errors, type NodeContext, node, type SettingsIssue, type Taker } from "../Node.ts"
import type { InputFiles, OpenFile } from "../ports/NodeFiles.ts"
import { sourceField } from "../records/Source.ts"
import { compressionOf, relativePath } from "../settings/Paths.ts"
import { withDefault } from "../settings/SettingsSchema.ts"
import { ResourceName } from "../settings/SettingTexts.ts"
import {
  filePath,
  filesOf,
  isObjectUrl,
  patternFaults,
  referenceOf,
  referencesOf,
  rootOf,
  storageFaults,
  storageOf,
  storageSettings
} from "../settings/StorageSettings.ts"
import { blocks, blocksOf, sendBlock } from "./files/Blocks.ts"
import { follow } from "./files/Follow.ts"
import { type Format, formatOf, formats } from "./files/Format.ts"

const settings = Schema.Struct({
  path: Schema.optionalKey(
    filePath(
      "Path of a file: in the tenant's configuration folder, or where nothing matches there in its data area, or below " +
        "`root`; or `s3://bucket/key`. `*`, `?`, `[…]`, `{a,b}` and `**` select several files."
    )
  ),
  ...storageSettings,
  registry: Schema.optionalKey(
    relativePath("Path of a resource in the tenant's registry, read in its latest version. Replaces `path`.")
  ),
  resource: Schema.optionalKey(
    ResourceName.annotate({
      description: "The build of an artifact, as `type:group:artifact:version`. Replaces `path`."
    })
  ),
  format: Schema.optionalKey(
    Schema.Literals(formats).annotate({
      description:
        "`lines` (each line becomes `{message}`), `ndjson` (one JSON object per line; empty lines are skipped), `csv` " +
        "(RFC 4180 with a header row; all values are texts) or `parquet`. Default: by extension; `ndjson` also for " +
        "`.jsonl` and `.json`, `lines` for others."
    })
  ),
  follow: Schema.Boolean.pipe(
    withDefault(
      false,
      "Follows files that grow or are rotated, and reads files that appear later; runs until it is " +
        "stopped. In stream, for `path` with `lines` or `ndjson`."
    )
  ),
  encoding: Schema.Literals(encodings).pipe(
    withDefault(
      "utf-8",
      "Encoding of the text. `utf-16` takes the byte order from the byte order mark. Bytes that the encoding does not " +
        "have become U+FFFD and are counted."
    )
  ),
  multiline: Schema.optionalKey(
    multilineSettings.annotate({ description: "Joins lines to one record, such as those of a stack trace." })
  ),
  source: Schema.Boolean.pipe(
    withDefault(
      false,
      "Adds `_source` to every record, also to those of `errors`: `file`, `line` (from 1) and `offset` (bytes from 0) of " +
        "its beginning. Replaces a member of that name."
    )
  )
})
type Settings = typeof settings.Type

const check = (given: Settings, context: CheckContext): ReadonlyArray<SettingsIssue> => {
  const { runtime, faulty } = context
  const all = ["path", "registry", "resource"] as const
  const sources = all.filter((name) => given[name] !== undefined)
  if (sources.length === 0 && all.some((name) => faulty?.has(name))) return []
  const issues: Array<SettingsIssue> = []
  if (sources.length === 0) issues.push({ path: [], detail: "One of path, registry and resource is required" })
  if (sources.length < 2) issues.push(...storageFaults(given, context))
  for (const name of sources.slice(1)) {
    issues.push({
      path: [name],
      detail: `Only one of path, registry and resource can be given, and ${sources[0]} is given already`
    })
  }
  issues.push(...patternFaults(given.path), ...multilineFaults(given.multiline))
  const format = given.format ?? formatOf(given.path ?? "")
  if (given.multiline !== undefined && given.format !== undefined && given.format !== "lines") {
    issues.push({ path: ["multiline"], detail: `The records of ${given.format} have no lines to join` })
  }
  if (given.encoding !== "utf-8" && format === "parquet") {
    issues.push({ path: ["encoding"], detail: "A parquet file has no text encoding" })
  }
  if (given.source && (format === "parquet" || (format === "csv" && runtime === "analytics"))) {
    const where = format === "csv" ? "The rows of csv in analytics" : "The records of parquet"
    issues.push({ path: ["source"], detail: `${where} do not tell their lines; read lines or ndjson` })
  }
  if (!given.follow) return issues
  if (given.path === undefined && sources.length > 0) {
    issues.push({ path: ["follow"], detail: "Only the files of a path can be followed: stored files do not grow" })
  }
  if (format === "csv" || format === "parquet") {
    issues.push({ path: ["follow"], detail: `A ${format} file cannot be followed; set format to lines or ndjson` })
  }
  if (given.path !== undefined && compressionOf(given.path) !== undefined) {
    issues.push({ path: ["follow"], detail: "A compressed file cannot be followed" })
  }
  if (given.path !== undefined && isObjectUrl(given.path)) {
    issues.push({ path: ["follow"], detail: "Objects of an S3 storage do not grow: they cannot be followed" })
  }
  if (runtime !== undefined && runtime !== "stream") {
    issues.push({ path: ["follow"], detail: "Only stream flowlines follow files" })
  }
  return issues
}

/** The format of a file: several lines are joined only in text that is nothing else. */
const formatFor = ({ format, multiline }: Settings, name: string): Format =>
  format ?? (multiline === undefined ? formatOf(name) : "lines")

/** The columns of lines in SQL, or those that records of any format have. */
const columnsOf = (
  { multiline, source }: { readonly multiline?: unknown; readonly source: boolean },
  isLines = true
): Readonly<Record<string, string>> => ({
  ...(isLines ? { message: "VARCHAR" } : {}),
  ...(multiline === undefined ? {} : { tags: "VARCHAR[]" }),
  ...(source ? { [sourceField]: 'STRUCT("file" VARCHAR, "line" BIGINT, "offset" BIGINT)' } : {})
})

const takeBlocks = async (
  blocks: AsyncIterable<Block>,
  format: BlockFormat,
  context: NodeContext,
  take: Taker
): Promise<void> => {
  for await (const block of blocks) {
    context.signal.throwIfAborted()
    await take.block(block, format)
  }
}

const takeFile = async (file: OpenFile, format: BlockFormat, context: NodeContext, take: Taker): Promise<void> => {
  if (take.file !== undefined) return take.file(file, format)
  try {
    await takeBlocks(blocksOf(file), format, context, take)
  } finally {
    await file.close()
  }
}

/** The text is read line by line on one thread: where a line belongs depends on those before it. */
const readText = async (
  bytes: AsyncIterable<Uint8Array>,
  reading: Reading,
  context: NodeContext,
  take: Taker
): Promise<void> => {
  const reader = new RecordReader(reading, context, take.emit)
  for await (const chunk of bytes) {
    context.signal.throwIfAborted()
    await reader.push(chunk)
  }
  await reader.end()
}

const nameOf = (source: string | Reference): string =>
  typeof source === "string" ? source : "registry" in source ? source.registry : source.resource

/** Reads one file to its end. */
const readFile = async (
  source: string | Reference,
  given: Settings,
  context: NodeContext,
  files: InputFiles,
  take: Taker
): Promise<void> => {
  const { encoding, multiline } = given
  const stored = typeof source === "string" ? undefined : await context.open(source)
  const format = formatFor(given, typeof source === "string" ? source : stored!.name)
  if (format === "parquet") {
    for await (const batch of files.parquet(source)) await take.emit(chosen, batch)
    return
  }
  const isWhole = encoding !== "utf-8" || multiline !== undefined || given.source
  const isBlocks = (format === "lines" || format === "ndjson") && !isWhole
  const isPlain = typeof source === "string" && compressionOf(source) === undefined
  if (isBlocks && isPlain && files.openFile !== undefined) {
    return takeFile(await files.openFile(source), format, context, take)
  }
  const bytes = typeof source === "string" ? files.read(source) : stored!.read()
  if (isBlocks) return takeBlocks(blocks(bytes), format, context, take)
  const named = given.source ? nameOf(source) : undefined
  return readText(bytes, { format, encoding, multiline, named }, context, take)
}

/** Reads all files one after the other, without following them. */
const readFiles = async (given: Settings, context: NodeContext, take: Taker): Promise<void> => {
  const { path } = given
  const reference = referenceOf(given)
  const files = filesOf(given, context)
  if (reference !== undefined) {
    context.counted?.("files", 1)
    return readFile(reference, given, context, files, take)
  }
  if (path === undefined) return
  const found = await files.glob(path)
  context.counted?.("files", found.length)
  for (const file of found) await readFile(file, given, context, files, take)
}

export const fileInput = node({
  type: "file_input",
  kind: "input",
  effect: "reads files",
  description:
    "Reads files of the tenant's folders, of a root or of an S3 storage, ordered by path, or a stored file. Files whose " +
    "name ends in `.gz` or `.zst` are decompressed. A pattern that matches no file gives no records; a plain path " +
    "without a file fails the run. Errors are: a line, or in `csv` a row, of more than 1 048 576 characters, " +
    "in `ndjson` a line that is not a JSON object, and in `csv` a row with more or fewer cells than the header.",
  runtimes,
  settings,
  inputs: { min: 0, max: 0 },
  outputs: [chosen, errors],
  example: { path: "samples/access*.log.gz", format: "lines" },
  check,
  secrets: ["s3"],
  roots: rootOf,
  relation: (given) => {
    const { path, root, registry, resource, format, encoding, multiline, source } = given
    if (typeof path !== "string" || isObjectUrl(path)) return undefined
    if ([root, registry, resource].some((other) => other !== undefined)) return undefined
    // What these add to the columns of the files, or change in them, is known only of lines.
    if ([encoding, multiline, source].every((one) => one === undefined)) {
      return { path, ...(typeof format === "string" ? { format } : {}) }
    }
    const isLines = format === "lines" || multiline !== undefined
    return isLines ? { columns: Object.keys(columnsOf({ multiline, source: source === true })) } : undefined
  },
  references: referencesOf,
  analytics: (given) => {
    const { format, encoding, multiline } = given
    if (multiline !== undefined || given.source) {
      const isLines = formatFor(given, given.path ?? "") === "lines"
      return { kind: "records", columns: columnsOf({ multiline, source: given.source }, isLines) }
    }
    const storage = storageOf(given)
    return { kind: "read", source: referenceOf(given) ?? given.path ?? "", format, encoding, storage }
  },
  keepsPosition: ({ follow }) => follow,
  sample: (given, context) => async (text, emit, encoded) => {
    const { multiline, source } = given
    const encoding = encoded ?? given.encoding
    const from = referenceOf(given) ?? given.path ?? ""
    const asked = formatFor(given, given.path ?? "")
    // A sample of a file in a binary format is given as records.
    const format = asked === "parquet" ? "ndjson" : asked
    const named = source ? nameOf(from) : undefined
    const reader = new RecordReader({ format, encoding, multiline, named }, context, emit)
    await reader.push(text)
    await reader.end()
  },
  pieces: (given) =>
    given.follow
      ? Result.fail("Followed files cannot be read in parallel: their lines arrive one after the other")
      : Result.succeed((context, take) => readFiles(given, context, take)),
  fields: (given) => ({
    reads: [],
    // Files of other formats name their fields themselves, and the name of a stored file is not known here.
    gives: () => {
      const { path, format, multiline } = given
      const isKnown = format !== undefined || multiline !== undefined || path !== undefined
      return isKnown && formatFor(given, path ?? "") === "lines" ? new Set(Object.keys(columnsOf(given))) : undefined
    }
  }),
  start: (given, context) => ({
    run: async (emit) => {
      const { path, encoding, multiline, source } = given
      if (given.follow && path !== undefined) {
        const format = given.format ?? (multiline === undefined ? undefined : "lines")
        const lines = format === "ndjson" || format === "lines" ? format : undefined
        return follow({ path, format: lines, encoding, multiline, source }, filesOf(given, context), context, emit)
      }
      const block = (block: Block, format: BlockFormat) => sendBlock(block, format, context, emit)
      return readFiles(given, context, { block, emit })
    }
  })
})
