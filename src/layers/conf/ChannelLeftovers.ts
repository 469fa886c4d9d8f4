import { lstat, readdir, rename, rm, stat } from "node:fs/promises"
import { join } from "node:path"
import { Effect } from "effect"
import { codeOf } from "../../drivers/Failure.ts"
import { within } from "../../drivers/files/Deadline.ts"
import { type PassingFolder, passingFolder, passingName } from "../../services/channels/ChannelFiles.ts"

export const exists = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    (error) => {
      if (codeOf(error) === "ENOENT") return false
      throw error
    }
  )

/** The names in a folder; none if there is no such folder. */
export const foldersIn = (folder: string): Promise<ReadonlyArray<string>> =>
  readdir(folder).catch((error) => {
    if (codeOf(error) === "ENOENT") return []
    throw error
  })

const remove = (path: string) => rm(path, { recursive: true, force: true })

/**
 * Ends a change of a channel that was cut off, wherever that was: the former folder comes back if it counts, and the
 * folders of the change are removed. What counts for readers stays the same at every step.
 */
export const endChange = async (
  channels: string,
  { channel, change }: Pick<PassingFolder, "channel" | "change">
): Promise<void> => {
  const place = (state: PassingFolder["state"]) => join(channels, passingName(channel, change, state))
  const [next, former] = [place("next"), place("former")]
  if (await exists(next)) {
    if ((await exists(former)) && !(await exists(join(channels, channel))))
      await rename(former, join(channels, channel))
    await remove(place("gone"))
    // From here on the former folder does not count any more; removed file by file, `next` would be there for a while.
    await rename(next, place("gone"))
  }
  await remove(former)
  await remove(place("gone"))
}

/** Milliseconds after which a change has long been answered, also that of another gateway. */
const settled = 60_000

interface Leftover extends PassingFolder {
  readonly tenant: string
  readonly channels: string
  /** Changes when the folder is written to, or another one gets its name. */
  readonly version: string
}

/** The folders of changes in all tenants, by their paths. */
const leftovers = async (conf: string): Promise<ReadonlyMap<string, Leftover>> => {
  const found = new Map<string, Leftover>()
  for (const tenant of await foldersIn(join(conf, "tenants"))) {
    const channels = join(conf, "tenants", tenant, "channels")
    for (const name of await foldersIn(channels).catch(() => [])) {
      const folder = passingFolder(name)
      const info = folder === undefined ? undefined : await lstat(join(channels, name)).catch(() => undefined)
      if (folder === undefined || info?.isDirectory() !== true) continue
      const version = [info.dev, info.ino, info.ctimeMs].join("-")
      found.set(join(channels, name), { ...folder, tenant, channels, version })
    }
  }
  return found
}

/**
 * Ends the changes that killed gateways have left, where the gateway may write. Gateways that share a configuration
 * change it at the same time: what has not changed in a minute is nobody's, whatever the clocks say.
 */
export const sweepChannels = (
  conf: string,
  deadline: number,
  writable: (tenant: string) => Promise<void>
): Effect.Effect<void> => {
  const look = Effect.tryPromise(() => within(deadline, leftovers(conf)))
  const end = (leftover: Leftover) =>
    Effect.tryPromise(() =>
      within(
        deadline,
        writable(leftover.tenant).then(() => endChange(leftover.channels, leftover))
      )
    )
  return Effect.gen(function* () {
    const first = yield* look
    if (first.size === 0) return
    yield* Effect.sleep(settled)
    const all = yield* look
    const old = (name: string) => all.get(name)?.version === first.get(name)?.version
    for (const [path, leftover] of all) {
      const { channel, change, channels } = leftover
      const states = (["former", "next", "gone"] as const).map((state) =>
        join(channels, passingName(channel, change, state))
      )
      if (!old(path) || states.some((name) => all.has(name) && !old(name))) continue
      // A folder that the gateway may not write to stays as it is: readers pay no attention to what is left there.
      yield* Effect.ignore(end(leftover))
    }
  }).pipe(Effect.ignore)
}
