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
 * Ends a change of a channel that was interrupted at any step: the former folder is restored if it still counts, and
 * the folders of the change are removed. What readers see stays the same at every step.
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
    // After this the former folder no longer counts. If `next` were removed file by file, readers would see parts of
    // it.
    await rename(next, place("gone"))
  }
  await remove(former)
  await remove(place("gone"))
}

/** Milliseconds after which any change, also that of another gateway, has certainly been answered. */
const settled = 60_000

interface Leftover extends PassingFolder {
  readonly tenant: string
  readonly channels: string
  /** A text that changes when the folder is written to or replaced. */
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
 * Ends the changes that killed gateways left behind, in folders to which this gateway may write. Other gateways may be
 * changing the same configuration, so only what has not changed for a minute is taken; this does not compare clocks.
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
      // Leftovers in a read-only folder stay: readers ignore them.
      yield* Effect.ignore(end(leftover))
    }
  }).pipe(Effect.ignore)
}
