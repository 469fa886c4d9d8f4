import { readFile, stat } from "node:fs/promises"
import { join } from "node:path"
import { Effect, Layer, Predicate } from "effect"
import Hjson from "hjson"
import { parse } from "yaml"
import { codeOf } from "../../drivers/Failure.ts"
import { within } from "../../drivers/files/Deadline.ts"
import { StorageUnreachable } from "../../errors/StorageUnreachable.ts"
import { PlatformFile } from "../../services/platform/Platform.ts"
import { Settings } from "../../services/shared/settings/Settings.ts"

/** The file exists but is invalid. The operator has to fix it; the storage works. */
class UnusablePlatformFile extends Error {}

const formats: ReadonlyArray<readonly [file: string, parse: (text: string) => unknown]> = [
  ["platform.yaml", (text) => parse(text)],
  ["platform.hjson", (text) => Hjson.parse(text)],
  ["platform.json", (text) => JSON.parse(text)]
]

const mapping = (file: string, text: string, parse: (text: string) => unknown): Record<string, unknown> => {
  let properties: unknown
  try {
    properties = parse(text)
  } catch (error) {
    throw new UnusablePlatformFile(`${file}: ${error instanceof Error ? error.message : error}`)
  }
  if (!Predicate.isObject(properties)) throw new UnusablePlatformFile(`${file} is not a mapping`)
  return { ...properties }
}

const read = async (conf: string): Promise<Record<string, unknown> | undefined> => {
  for (const [file, parse] of formats) {
    const text = await readFile(join(conf, file), "utf8").catch((error) => {
      if (codeOf(error) === "ENOENT") return undefined
      throw error
    })
    if (text === undefined) continue
    return mapping(file, text, parse)
  }
  // If the folder is missing, the file may exist on a disk that is away.
  if (!(await stat(conf)).isDirectory()) throw new Error("the configuration is no folder")
  return undefined
}

/**
 * Reads the first of `platform.yaml`, `platform.hjson` and `platform.json` in the configuration folder, at every call.
 * The file counts as absent only if the folder can be reached; an unreadable file is a storage in trouble.
 */
export const layer = Layer.effect(
  PlatformFile,
  Effect.gen(function* () {
    const { conf, storageDeadline } = yield* Settings
    return PlatformFile.of({
      read: Effect.tryPromise({
        try: () => within(storageDeadline, read(conf)),
        catch: (error) => (error instanceof UnusablePlatformFile ? error : new StorageUnreachable({ storage: "data" }))
      }).pipe(Effect.catchIf((error) => error instanceof UnusablePlatformFile, Effect.die))
    })
  })
)
