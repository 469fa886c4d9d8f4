import { Effect, Result, Schema } from "effect"
import { runtimes } from "../../protocol/Flowline.ts"
import type { Reference } from "../../protocol/References.ts"
import type { Block, BlockFormat } from "../Capabilities.ts"
import { RecordReader } from "../formats/RecordReader.ts"
import { type CheckContext, chosen, errors, type NodeContext, node, type SettingsIssue, type Taker } from "../Node.ts"
import type { InputFiles, OpenFile } from "../NodeFiles.ts"
import { compressionOf, relativePath } from "../Paths.ts"
import { ResourceName } from "../SettingTexts.ts"
import { filePath, isObject, storageFaults, storageOf, storageSettings } from "../Storage.ts"
import { blocks, blocksOf, sendBlock } from "./files/Blocks.ts"
import { follow } from "./files/Follow.ts"
import { type Format, formatOf, formats } from "./files/Format.ts"

const settings = Schema.Struct({
  path: Schema.optionalKey(
    filePath(
      "Path of a file: in the tenant's configuration folder, or where nothing matches there in its data area, or below " +
        "`root`; or `s3://bucket/key`. `*`, `?`, `[…]` and `**` select several files."
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
  follow: Schema.Boolean.annotate({
    description:
      "Follows files that grow or are rotated, and reads files that appear later; runs until it is " +
      "stopped. In stream, for `path` with `lines` or `ndjson`.",
    default: false
  }).pipe(Schema.withDecodingDefaultKey(Effect.succeed(false)))
})
type Settings = typeof settings.Type

const referenceOf = ({ registry, resource }: Settings): Reference | undefined =>
  registry !== undefined ? { registry } : resource !== undefined ? { resource } : undefined

const filesOf = (given: Settings, context: NodeContext): InputFiles => {
  const storage = storageOf(given)
  return storage === undefined ? context : context.filesIn(storage)
}

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
  if (!given.follow) return issues
  if (given.path === undefined && sources.length > 0) {
    issues.push({ path: ["follow"], detail: "Only the files of a path can be followed: stored files do not grow" })
  }
  const format = given.format ?? formatOf(given.path ?? "")
  if (format === "csv" || format === "parquet") {
    issues.push({ path: ["follow"], detail: `A ${format} file cannot be followed; set format to lines or ndjson` })
  }
  if (given.path !== undefined && compressionOf(given.path) !== undefined) {
    issues.push({ path: ["follow"], detail: "A compressed file cannot be followed" })
  }
  if (given.path !== undefined && isObject(given.path)) {
    issues.push({ path: ["follow"], detail: "Objects of an S3 storage do not grow: they cannot be followed" })
  }
  if (runtime !== undefined && runtime !== "stream") {
    issues.push({ path: ["follow"], detail: "Only stream flowlines follow files" })
  }
  return issues
}

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

const readText = async (
  bytes: AsyncIterable<Uint8Array>,
  format: Exclude<Format, "parquet">,
  context: NodeContext,
  take: Taker
): Promise<void> => {
  if (format !== "csv") return takeBlocks(blocks(bytes), format, context, take)
  const reader = new RecordReader(format, context, take.emit)
  for await (const chunk of bytes) {
    context.signal.throwIfAborted()
    await reader.push(chunk)
  }
  await reader.end()
}

/** Reads one file to its end. */
const readFile = async (
  source: string | Reference,
  given: Format | undefined,
  context: NodeContext,
  files: InputFiles,
  take: Taker
): Promise<void> => {
  const stored = typeof source === "string" ? undefined : await context.open(source)
  const format = given ?? formatOf(typeof source === "string" ? source : stored!.name)
  const isText = format === "lines" || format === "ndjson"
  const isPlain = typeof source === "string" && compressionOf(source) === undefined
  if (isText && isPlain && files.openFile !== undefined) {
    return takeFile(await files.openFile(source), format, context, take)
  }
  if (format !== "parquet") {
    return readText(typeof source === "string" ? files.read(source) : stored!.read(), format, context, take)
  }
  for await (const batch of files.parquet(source)) await take.emit(chosen, batch)
}

/** Reads all files one after the other, without following them. */
const readFiles = async (given: Settings, context: NodeContext, take: Taker): Promise<void> => {
  const { path, format } = given
  const reference = referenceOf(given)
  const files = filesOf(given, context)
  if (reference !== undefined) {
    context.counted?.("files", 1)
    return readFile(reference, format, context, files, take)
  }
  if (path === undefined) return
  const found = await files.glob(path)
  context.counted?.("files", found.length)
  for (const file of found) await readFile(file, format, context, files, take)
}

export const fileInput = node({
  type: "file_input",
  kind: "input",
  effect: "reads files",
  description:
    "Reads files of the tenant's folders, of a root or of an S3 storage, ordered by path, or a stored file. Files whose " +
    "name ends in `.gz` or `.zst` are decompressed. A pattern that matches no file gives no records; a plain path without a file fails " +
    "the run. Invalid UTF-8 becomes U+FFFD. Errors are: a line of more than 1 048 576 characters, " +
    "in `ndjson` a line that is not a JSON object, and in `csv` a row with more or fewer cells than the header.",
  runtimes,
  settings,
  inputs: { min: 0, max: 0 },
  outputs: [chosen, errors],
  example: { path: "samples/access*.log.gz", format: "lines" },
  check,
  secrets: ["s3"],
  roots: ({ root }) => (root === undefined ? undefined : { name: root, writes: false }),
  relation: ({ path, root, registry, resource, format }) =>
    typeof path !== "string" || isObject(path) || [root, registry, resource].some((other) => other !== undefined)
      ? undefined
      : { path, ...(typeof format === "string" ? { format } : {}) },
  references: (given) => {
    const reference = referenceOf(given)
    return reference === undefined ? [] : [reference]
  },
  analytics: (given) => ({
    kind: "read",
    source: referenceOf(given) ?? given.path ?? "",
    format: given.format,
    storage: storageOf(given)
  }),
  keepsPosition: ({ follow }) => follow,
  sample:
    ({ path, format }, context) =>
    async (text, emit) => {
      const asked = format ?? formatOf(path ?? "")
      // A sample of a file in a binary format is given as records.
      const reader = new RecordReader(asked === "parquet" ? "ndjson" : asked, context, emit)
      await reader.push(text)
      await reader.end()
    },
  pieces: (given) =>
    given.follow
      ? Result.fail("Followed files cannot be read in parallel: their lines arrive one after the other")
      : Result.succeed((context, take) => readFiles(given, context, take)),
  fields: ({ path, format }) => ({
    reads: [],
    // Files of other formats name their fields themselves, and the name of a stored file is not known here.
    gives: () =>
      format === "lines" || (format === undefined && path !== undefined && formatOf(path) === "lines")
        ? new Set(["message"])
        : undefined
  }),
  start: (given, context) => ({
    run: async (emit) => {
      const { path, format } = given
      if (given.follow && path !== undefined)
        return follow(
          path,
          filesOf(given, context),
          format === "ndjson" || format === "lines" ? format : undefined,
          context,
          emit
        )
      const block = (block: Block, format: BlockFormat) => sendBlock(block, format, context, emit)
      return readFiles(given, context, { block, emit })
    }
  })
})
