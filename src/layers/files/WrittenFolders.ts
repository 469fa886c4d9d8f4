import { lstat, mkdir, realpath, unlink } from "node:fs/promises"
import { dirname, join, resolve } from "node:path"
import { Effect, Layer, Stream } from "effect"
import { codeOf } from "../../drivers/Failure.ts"
import { within } from "../../drivers/files/Deadline.ts"
import { isAbsent, isInside, type OpenFailure } from "../../drivers/files/OpenInside.ts"
import { StorageUnreachable } from "../../errors/StorageUnreachable.ts"
import { workFolder } from "../../protocol/Roots.ts"
import { type Absence, type Place, RunFileStore } from "../../services/files/RunFileStore.ts"
import { dataRoot, Settings } from "../../services/shared/settings/Settings.ts"
import { openInScope } from "../conf/OpenFile.ts"
import { filesBelow } from "./FileWalk.ts"

const absences: Readonly<Record<OpenFailure, Absence>> = {
  missing: "missing",
  denied: "missing",
  special: "missing",
  directory: "directory",
  outside: "outside"
}

const isHidden = (path: string): boolean => path.split("/", 1)[0] === workFolder

/** The entry at this path below a folder. A link of this name is not followed. */
const entryAt = async (folder: string, path: string): Promise<Absence | { readonly path: string }> => {
  try {
    const root = await realpath(folder)
    const above = await realpath(join(root, dirname(path)))
    if (!isInside(root, above)) return "outside"
    const entry = join(above, path.slice(path.lastIndexOf("/") + 1))
    return (await lstat(entry)).isDirectory() ? "directory" : { path: entry }
  } catch (error) {
    if (isAbsent(error)) return "missing"
    throw error
  }
}

/** The data areas on this machine's disk, `<root>/<tenant>/data/`, and the operator's roots. */
export const layer = Layer.effect(
  RunFileStore,
  Effect.map(Settings, (settings) => {
    const area = resolve(dataRoot(settings))
    const { storageDeadline } = settings
    const timed = <A>(call: Promise<A>) => within(storageDeadline, call)
    const unreachable = () => new StorageUnreachable({ storage: "data" })

    /** The folder of a place. A tenant's area may not exist yet; a missing root means that a disk is away. */
    const folderOf = async ({ tenant, root }: Place): Promise<string> => {
      if (root !== undefined) {
        await timed(realpath(root.path))
        return root.path
      }
      const own = join(area, tenant)
      for (const folder of [own, join(own, "data")]) {
        await timed(mkdir(folder, { mode: 0o700 })).catch((error) => {
          if (codeOf(error) !== "EEXIST") throw error
        })
      }
      return join(own, "data")
    }

    const absence = async (place: Place, path: string): Promise<Absence | undefined> => {
      const found = isHidden(path) ? "missing" : await timed(entryAt(await folderOf(place), path))
      return typeof found === "string" ? found : undefined
    }

    return RunFileStore.of({
      list: (place, { after, limit }) => {
        const files = Stream.unwrap(
          Effect.map(Effect.tryPromise({ try: () => folderOf(place), catch: unreachable }), (folder) =>
            Stream.fromAsyncIterable(filesBelow(folder, after?.split("/") ?? [], timed), unreachable)
          )
        )
        return limit === undefined ? files : Stream.take(files, limit)
      },
      open: Effect.fn("RunFileStore.open")(function* (place, path) {
        if (isHidden(path)) return "missing" as const
        const opened = yield* openInScope(storageDeadline, () => folderOf(place), path)
        return typeof opened === "string" ? absences[opened] : opened
      }),
      absence: Effect.fn("RunFileStore.absence")((place, path) =>
        Effect.tryPromise({ try: () => absence(place, path), catch: unreachable })
      ),
      remove: Effect.fn("RunFileStore.remove")((place, path) =>
        Effect.tryPromise({
          try: async () => {
            const found = await timed(entryAt(await folderOf(place), path))
            if (typeof found === "string") return found
            await timed(unlink(found.path)).catch((error) => {
              if (codeOf(error) !== "ENOENT") throw error
            })
            return undefined
          },
          catch: unreachable
        })
      )
    })
  })
)
