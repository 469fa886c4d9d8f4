import { randomBytes } from "node:crypto"
import { access, constants, mkdir, open, readdir, readFile, rename, stat } from "node:fs/promises"
import { dirname, join } from "node:path"
import { Effect, Layer } from "effect"
import { codeOf } from "../../drivers/Failure.ts"
import { within } from "../../drivers/files/Deadline.ts"
import { lockPath } from "../../drivers/files/FileLock.ts"
import { orNothing } from "../../drivers/files/OpenInside.ts"
import { Conflict } from "../../errors/Conflict.ts"
import { ReadOnlyConfiguration } from "../../errors/ReadOnlyConfiguration.ts"
import { StorageUnreachable } from "../../errors/StorageUnreachable.ts"
import {
  ChannelFiles,
  type ChannelTexts,
  digestOf,
  formerOf,
  mostBytes,
  mostFiles,
  type PassingFolder,
  passingFolder,
  passingName
} from "../../services/channels/ChannelFiles.ts"
import { Settings } from "../../services/shared/settings/Settings.ts"
import { endChange, exists, foldersIn, sweepChannels } from "./ChannelLeftovers.ts"

const byHand = "change the folder by hand"
const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })

const textOf = (name: string, bytes: Uint8Array): string => {
  try {
    return utf8.decode(bytes)
  } catch {
    throw new Conflict({ detail: `The channel's file ${JSON.stringify(name)} is no text: ${byHand}` })
  }
}

/**
 * The texts of a folder; undefined if there is none. @throws {Conflict} when it is too large or holds other than texts
 */
const textsIn = async (folder: string): Promise<ChannelTexts | undefined> => {
  const entries = await readdir(folder, { withFileTypes: true, recursive: true }).catch((error) => {
    if (codeOf(error) === "ENOENT") return undefined
    throw error
  })
  if (entries === undefined) return undefined
  const texts: Record<string, string> = {}
  let bytes = 0
  let count = 0
  for (const entry of entries) {
    const path = join(entry.parentPath, entry.name)
    const name = path.slice(folder.length + 1)
    if (entry.isDirectory()) continue
    if (!entry.isFile()) throw new Conflict({ detail: `${JSON.stringify(name)} is no regular file: ${byHand}` })
    count += 1
    bytes += (await stat(path)).size
    if (count > mostFiles || bytes > mostBytes) {
      throw new Conflict({ detail: `The channel has more than ${mostFiles} files or ${mostBytes} bytes: ${byHand}` })
    }
    texts[name] = textOf(name, await readFile(path))
  }
  return texts
}

const synced = async (path: string): Promise<void> => {
  const handle = await open(path, constants.O_RDONLY)
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** Writes all files, so that they outlast a power failure. */
const write = async (folder: string, files: ChannelTexts): Promise<void> => {
  const folders = new Set([folder])
  for (const [name, text] of Object.entries(files)) {
    const path = join(folder, name)
    await mkdir(dirname(path), { recursive: true })
    const handle = await open(path, "wx")
    try {
      await handle.writeFile(text)
      await handle.sync()
    } finally {
      await handle.close()
    }
    folders.add(dirname(path))
  }
  for (const one of folders) await synced(one)
}

/** Errors of a system that does not let this user write. */
const refused = new Set<unknown>(["EACCES", "EPERM", "EROFS"])

/** Milliseconds to wait for another change of the same channel. */
const patience = 5000

type Places = Pick<Settings["Service"], "conf" | "data" | "storageDeadline">

/** The channels' folders below `<conf>/tenants/<tenant>/channels/`. */
export const layerAt = ({ conf, data, storageDeadline }: Places) =>
  Layer.effect(
    ChannelFiles,
    Effect.gen(function* () {
      const tenantFolder = (tenant: string) => join(conf, "tenants", tenant)
      const channelsOf = (tenant: string) => join(tenantFolder(tenant), "channels")

      const readOnly = (tenant: string, why: string) =>
        new ReadOnlyConfiguration({
          tenant,
          detail: `The configuration of the tenant ${JSON.stringify(tenant)} ${why}`
        })

      const attempt = <A>(tenant: string, work: () => Promise<A>) =>
        Effect.tryPromise({
          try: () => within(storageDeadline, work()),
          catch: (error) => {
            if (error instanceof Conflict || error instanceof ReadOnlyConfiguration) return error
            return refused.has(codeOf(error))
              ? readOnly(
                  tenant,
                  "is read-only for the gateway's user: whoever manages that folder can change the channel"
                )
              : new StorageUnreachable({ storage: "data" })
          }
        })

      const writable = async (tenant: string): Promise<void> => {
        for (const folder of [tenantFolder(tenant), join(conf, "tenants"), conf]) {
          if (await exists(join(folder, ".git"))) {
            throw readOnly(
              tenant,
              "is a checkout of git: whoever may push to its repository can change the channel there"
            )
          }
        }
        const channels = channelsOf(tenant)
        await access((await exists(channels)) ? channels : tenantFolder(tenant), constants.W_OK | constants.X_OK)
      }

      const withoutWriting = <A>(error: A | ReadOnlyConfiguration) =>
        error instanceof ReadOnlyConfiguration ? new StorageUnreachable({ storage: "data" }) : error

      /** The current folder, or the former one while it is being replaced. */
      const current = async (tenant: string, channel: string) => {
        const root = tenantFolder(tenant)
        const channels = channelsOf(tenant)
        const look = (folder: string) => textsIn(join(channels, folder)).catch(orNothing(root, undefined))
        const found = await look(channel)
        if (found !== undefined) return found
        const former = formerOf(await foldersIn(channels), channel)
        return (former === undefined ? undefined : await look(former)) ?? (await look(channel))
      }
      const stored = (files: ChannelTexts | undefined) =>
        files === undefined ? Effect.undefined : Effect.map(digestOf(files), (digest) => ({ files, digest }))

      const locked = (tenant: string, channel: string) =>
        Effect.acquireRelease(
          attempt(tenant, () => lockPath(join(data, "locks"), join(channelsOf(tenant), channel), patience)),
          (release) => Effect.sync(release)
        )

      /** Completes or undoes interrupted replacements of the channel, so that only one folder counts. */
      const settle = async (tenant: string, channel: string): Promise<void> => {
        const channels = channelsOf(tenant)
        for (const name of await foldersIn(channels)) {
          const folder = passingFolder(name)
          if (folder?.state === "former" && folder.channel === channel) await endChange(channels, folder)
        }
      }

      const swap = async (tenant: string, channel: string, files: ChannelTexts | undefined): Promise<void> => {
        const channels = channelsOf(tenant)
        const folder = join(channels, channel)
        const change = randomBytes(6).toString("hex")
        const place = (state: PassingFolder["state"]) => join(channels, passingName(channel, change, state))
        try {
          if (files === undefined) await rename(folder, place("gone"))
          else {
            await mkdir(place("next"), { recursive: true })
            await write(place("next"), files)
            if (await exists(folder)) await rename(folder, place("former"))
            await rename(place("next"), folder)
          }
          await synced(channels)
        } finally {
          // What cannot be removed now is removed after the next start; until then readers ignore it.
          await endChange(channels, { channel, change }).catch(() => {})
        }
      }

      yield* sweepChannels(conf, storageDeadline, (tenant) => writable(tenant)).pipe(Effect.forkScoped)

      return ChannelFiles.of({
        read: (tenant, channel) =>
          Effect.flatMap(
            Effect.mapError(
              attempt(tenant, () => current(tenant, channel)),
              withoutWriting
            ),
            stored
          ),
        writable: (tenant) =>
          Effect.catchTag(
            attempt(tenant, () => writable(tenant)),
            "Conflict",
            Effect.die
          ),
        replace: Effect.fn("ChannelFiles.replace")(function* (tenant, channel, files, before) {
          yield* locked(tenant, channel)
          yield* attempt(tenant, () => settle(tenant, channel))
          yield* before(yield* stored(yield* attempt(tenant, () => current(tenant, channel))))
          // Uninterruptible, because the audit has already recorded the change.
          yield* Effect.uninterruptible(attempt(tenant, () => swap(tenant, channel, files)))
        }, Effect.scoped)
      })
    })
  )

/** {@link layerAt} with the places that the settings name. */
export const layer = Layer.unwrap(Effect.map(Settings, layerAt))
