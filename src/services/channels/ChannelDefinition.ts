import { Schema } from "effect"
import { ChannelTexts, mostFiles } from "./ChannelFiles.ts"

const digest = Schema.String.annotate({
  description: "Changes with every file: its ETag without the quotes, for `If-Match`"
})

/** A channel's files as they are. */
export const ChannelDefinition = Schema.Struct({
  channel: Schema.String,
  files: ChannelTexts,
  digest,
  writable: Schema.Boolean.annotate({ description: "Whether the gateway may change them" }),
  reason: Schema.optionalKey(Schema.String).annotate({ description: "Why it may not, and who may" })
}).annotate({ identifier: "ChannelDefinition" })
export type ChannelDefinition = typeof ChannelDefinition.Type

/** The files of a new version of a channel. */
export const ChannelDefinitionRequest = Schema.Struct({
  files: ChannelTexts.check(Schema.isMaxProperties(mostFiles), Schema.isMinProperties(1))
}).annotate({ identifier: "ChannelDefinitionRequest" })

/** What has been saved. */
export const SavedChannel = Schema.Struct({
  channel: Schema.String,
  digest,
  jobs: Schema.Array(Schema.String).annotate({ description: "Names of its jobs, of the form <cluster>/<job>" }),
  restart: Schema.Array(Schema.String).annotate({
    description: "Jobs that were started before and take the new version with their next run"
  })
}).annotate({ identifier: "SavedChannel" })
export type SavedChannel = typeof SavedChannel.Type
