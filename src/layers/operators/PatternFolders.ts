import { readdir, realpath } from "node:fs/promises"
import { join } from "node:path"
import { Effect, Layer } from "effect"
import { within } from "../../drivers/files/Deadline.ts"
import { isAbsent, isInside, type OpenedFile, openInside } from "../../drivers/files/OpenInside.ts"
import { StorageUnreachable } from "../../errors/StorageUnreachable.ts"
import { BoundedMap } from "../../languages/BoundedMap.ts"
import { type FoundPatterns, maxBytes, maxSources, PatternFiles } from "../../services/operators/PatternFiles.ts"
import { Settings } from "../../services/shared/settings/Settings.ts"

/** The result of reading a file: its text, or why it has none. */
interface ReadFile {
  readonly version: string
  readonly text: string | undefined
  readonly fault: string | undefined
}

interface Folder {
  readonly files: ReadonlyMap<string, ReadFile>
  readonly found: FoundPatterns
}

const keptTenants = 32
/**
 * A file that was changed less than this many milliseconds before it was read may change again without a new timestamp.
 */
const racy = 50

const textOf = async ({ handle, size }: OpenedFile): Promise<Pick<ReadFile, "text" | "fault">> => {
  if (size > maxBytes) return { text: undefined, fault: `it is larger than ${maxBytes} bytes` }
  // One extra byte detects a file that grows meanwhile, without reading more than the limit.
  const buffer = Buffer.alloc(size + 1)
  let length = 0
  for (;;) {
    const { bytesRead } = await handle.read(buffer, length, buffer.length - length)
    if (bytesRead === 0) break
    length += bytesRead
    if (length > size) return { text: undefined, fault: "it is being written" }
  }
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(buffer.subarray(0, length))
    return { text, fault: undefined }
  } catch {
    return { text: undefined, fault: "it is not UTF-8" }
  }
}

const readFile = async (root: string, path: string, known: ReadFile | undefined): Promise<ReadFile | undefined> => {
  const opened = await openInside(root, path)
  if (opened === "missing" || opened === "directory" || opened === "outside") return undefined
  if (typeof opened === "string") return { version: opened, text: undefined, fault: "it cannot be read" }
  try {
    if (known?.version === opened.version) return known
    const isRacy = Date.now() - opened.modifiedAt.getTime() < racy
    return { version: isRacy ? "" : opened.version, ...(await textOf(opened)) }
  } finally {
    await opened.handle.close()
  }
}

/** Skips hidden files and the backup copies of editors. */
const isPatternFile = (name: string): boolean => !name.startsWith(".") && !/[~#]$/.test(name)

/** The file names in the folder. It must be inside the tenant's folder, because messages may show the names. */
const namesIn = async (root: string): Promise<ReadonlyArray<string>> => {
  try {
    const [realRoot, folder] = await Promise.all([realpath(root), realpath(join(root, "patterns"))])
    return isInside(realRoot, folder) ? await readdir(folder) : []
  } catch (error) {
    if (isAbsent(error)) return []
    throw error
  }
}

const readFolder = async (root: string, known: Folder | undefined): Promise<Folder> => {
  const names = (await namesIn(root)).filter(isPatternFile).sort()
  const wanted = names.slice(-maxSources)
  const files = new Map<string, ReadFile>()
  for (const name of wanted) {
    const file = await readFile(root, `patterns/${name}`, known?.files.get(name))
    if (file !== undefined) files.set(name, file)
  }
  const isSame =
    known !== undefined &&
    known.files.size === files.size &&
    [...files].every(([name, file]) => known.files.get(name) === file)
  if (isSame) return known
  const leftOut = names.slice(0, -maxSources).map((name) => `patterns/${name}: there are more than ${maxSources} files`)
  const sources = [...files].flatMap(([name, { text, fault }]) => {
    if (text !== undefined) return [{ name: `patterns/${name}`, text }]
    leftOut.push(`patterns/${name}: ${fault}`)
    return []
  })
  return { files, found: { sources, leftOut: leftOut.slice(0, maxSources) } }
}

/** Checks the folder at every call; unchanged files are not read again. */
export const layer = Layer.effect(
  PatternFiles,
  Effect.map(Settings, ({ conf, storageDeadline }) => {
    const folders = new BoundedMap<string, Folder>(keptTenants)
    return PatternFiles.of({
      read: Effect.fn("PatternFiles.read")((tenant) =>
        Effect.tryPromise({
          try: async () => {
            const known = folders.get(tenant)
            const folder = await within(storageDeadline, readFolder(join(conf, "tenants", tenant), known))
            folders.set(tenant, folder)
            return folder.found
          },
          catch: () => new StorageUnreachable({ storage: "data" })
        })
      )
    })
  })
)
