import { Context, type Effect, Schema } from "effect"
import type { Conflict } from "../../errors/Conflict.ts"
import type { ReadOnlyConfiguration } from "../../errors/ReadOnlyConfiguration.ts"
import type { StorageUnreachable } from "../../errors/StorageUnreachable.ts"
import { hexDigest } from "../shared/bytes/Sha256Digest.ts"
import type { TenantId } from "../shared/Tenant.ts"
import type { ChannelName } from "./Job.ts"

/** The texts of a channel's files, by their path in its folder. */
export const ChannelTexts = Schema.Record(Schema.String, Schema.String).annotate({
  description: "The text of each file, by its path in the channel's folder"
})
export type ChannelTexts = typeof ChannelTexts.Type

/** What a channel's folder contains. */
export interface StoredChannel {
  readonly files: ChannelTexts
  /** Changes with every file's name and content: SHA-256 in hex. */
  readonly digest: string
}

/** The digest of a channel's files. */
export const digestOf = (files: ChannelTexts): Effect.Effect<string> =>
  hexDigest(JSON.stringify(Object.entries(files).sort(([one], [other]) => (one < other ? -1 : 1))))

/**
 * A temporary folder of a change, `.<channel>.<change>.<state>`, beside the folders of channels: `next` is being
 * written, `former` is being replaced by it, `gone` is being removed. A crash leaves them. No other folder has such a
 * name, because names of channels begin with a letter or a digit.
 */
export interface PassingFolder {
  readonly channel: string
  readonly change: string | undefined
  readonly state: "former" | "next" | "gone"
}

export const passingName = (channel: string, change: string | undefined, state: PassingFolder["state"]): string =>
  `.${[channel, ...(change === undefined ? [] : [change]), state].join(".")}`

/** What the name of a folder says, if it is a passing one. */
export const passingFolder = (name: string): PassingFolder | undefined => {
  const [, channel, change, state] = /^\.(.+?)(?:\.([0-9a-f]{12}))?\.(former|next|gone)$/.exec(name) ?? []
  if (channel === undefined) return undefined
  return { channel, change, state: state === "former" || state === "next" ? state : "gone" }
}

/**
 * The folder that counts as the channel's while its own is replaced; `folders` are all names. A `former` one counts
 * only while its `next` exists: afterwards the change is complete, and a channel that was removed since must not come
 * back.
 */
export const formerOf = (folders: ReadonlyArray<string>, channel: string): string | undefined =>
  folders.find((name) => {
    const folder = passingFolder(name)
    return (
      folder?.state === "former" &&
      folder.channel === channel &&
      folders.includes(passingName(channel, folder.change, "next"))
    )
  })

/** The names of the channels, by the names of all folders. */
export const channelsIn = (folders: ReadonlyArray<string>): ReadonlyArray<string> => {
  const replaced = folders.flatMap((name) => {
    const folder = passingFolder(name)
    return folder?.state === "former" && formerOf(folders, folder.channel) === name ? [folder.channel] : []
  })
  return [...new Set([...folders.filter((name) => !name.startsWith(".")), ...replaced])].sort()
}

/** Most files of a channel that can be read and written together, and most bytes of all of them. */
export const mostFiles = 1000
export const mostBytes = 16 * 1024 * 1024

/** The folders of channels as a whole, in configurations that the gateway may write. */
export class ChannelFiles extends Context.Service<
  ChannelFiles,
  {
    /** Undefined if there is no such folder. `Conflict`: it has files that are no text, or too many. */
    readonly read: (
      tenant: TenantId,
      channel: ChannelName
    ) => Effect.Effect<StoredChannel | undefined, Conflict | StorageUnreachable>
    /** Fails if the gateway may not write to the tenant's configuration. */
    readonly writable: (tenant: TenantId) => Effect.Effect<void, ReadOnlyConfiguration | StorageUnreachable>
    /**
     * Replaces the folder by the files, or removes it without them. Whoever reads finds the former folder or the new one,
     * also after a crash. `before` sees what there is, and can refuse: nobody else replaces the folder between its look and
     * the change.
     */
    readonly replace: <E, R>(
      tenant: TenantId,
      channel: ChannelName,
      files: ChannelTexts | undefined,
      before: (current: StoredChannel | undefined) => Effect.Effect<void, E, R>
    ) => Effect.Effect<void, E | Conflict | ReadOnlyConfiguration | StorageUnreachable, R>
  }
>()("flow/channels/ChannelFiles") {}
