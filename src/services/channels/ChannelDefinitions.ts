import { Context, Effect, Layer, Result, Schema } from "effect"
import { BadRequest } from "../../errors/BadRequest.ts"
import { Conflict } from "../../errors/Conflict.ts"
import type { InvalidChannel } from "../../errors/InvalidChannel.ts"
import { NotFound } from "../../errors/NotFound.ts"
import type { Overloaded } from "../../errors/Overloaded.ts"
import { PreconditionFailed } from "../../errors/PreconditionFailed.ts"
import type { ReadOnlyConfiguration } from "../../errors/ReadOnlyConfiguration.ts"
import type { StorageUnreachable } from "../../errors/StorageUnreachable.ts"
import { pointerOf } from "../../languages/document/Pointer.ts"
import { Audit } from "../audit/Audit.ts"
import { names } from "../shared/reads/EntityTag.ts"
import { RelativePath } from "../shared/requests/RelativePath.ts"
import { strict } from "../shared/requests/RequestProblems.ts"
import { issuesOf } from "../shared/requests/SchemaIssues.ts"
import type { TenantId } from "../shared/Tenant.ts"
import { type ChannelDefinition, ChannelDefinitionRequest, type SavedChannel } from "./ChannelDefinition.ts"
import { ChannelFiles, type ChannelTexts, digestOf, mostBytes, type StoredChannel } from "./ChannelFiles.ts"
import { ChannelFolders, invalidChannel } from "./ChannelFolders.ts"
import { type ChannelName, isUnderWay, PathName } from "./Job.ts"
import { JobStore } from "./JobStore.ts"

/** `If-Match` and `If-None-Match` of a change. */
interface Preconditions {
  readonly ifMatch: string | undefined
  readonly ifNoneMatch: string | undefined
}

type Failure = BadRequest | Conflict | PreconditionFailed | ReadOnlyConfiguration | StorageUnreachable

const invalid = (pointer: string, detail: string) =>
  new BadRequest({ detail: "The channel is invalid", issues: [{ part: "body", pointer, detail }] })

const isPathName = Schema.is(PathName)
const isRelativePath = Schema.is(RelativePath)

/** Names of files that cannot be: paths that leave the folder, hidden ones, and a file where another has a folder. */
const nameFault = (files: ChannelTexts): BadRequest | undefined => {
  const names = Object.keys(files)
  const known = new Set(names)
  let bytes = 0
  for (const name of names) {
    const pointer = pointerOf(["files", name])
    if (!isRelativePath(name) || name.split("/").some((part) => part.startsWith("."))) {
      return invalid(pointer, "Expected a path below the channel's folder, without empty, `.` and hidden parts")
    }
    for (let at = name.indexOf("/"); at !== -1; at = name.indexOf("/", at + 1)) {
      if (known.has(name.slice(0, at))) return invalid(pointer, `${JSON.stringify(name.slice(0, at))} is a file, too`)
    }
    bytes += new TextEncoder().encode(files[name]).length
  }
  return bytes > mostBytes ? invalid("/files", `The files of a channel have at most ${mostBytes} bytes`) : undefined
}

const decode = Schema.decodeUnknownEffect(ChannelDefinitionRequest, strict)

/** The files of a channel that was sent, or all faults of the body. */
export const readChannel = Effect.fnUntraced(function* (body: unknown) {
  const { files } = yield* Effect.mapError(
    decode(body),
    (error) => new BadRequest({ detail: "The channel is invalid", issues: issuesOf(error, "body") })
  )
  const fault = nameFault(files)
  return fault === undefined ? files : yield* fault
})

const preconditionFault = (
  { ifMatch, ifNoneMatch }: Preconditions,
  current: StoredChannel | undefined
): PreconditionFailed | undefined => {
  const fits = (header: string) => current !== undefined && names(header, current.digest, false)
  if (ifMatch !== undefined && !fits(ifMatch)) {
    return new PreconditionFailed({ detail: "The channel has another version than If-Match names" })
  }
  if (ifNoneMatch !== undefined && fits(ifNoneMatch)) {
    return new PreconditionFailed({ detail: "The channel exists, which If-None-Match excludes" })
  }
  return undefined
}

/** Reads, creates, changes and deletes the folders of channels. */
export class ChannelDefinitions extends Context.Service<
  ChannelDefinitions,
  {
    readonly files: (
      tenant: TenantId,
      channel: ChannelName
    ) => Effect.Effect<
      { readonly definition: ChannelDefinition; readonly etag: string },
      Conflict | NotFound | StorageUnreachable
    >
    /** Validates all files, then replaces the channel's folder by them. */
    readonly save: (
      tenant: TenantId,
      channel: ChannelName,
      body: unknown,
      preconditions: Preconditions
    ) => Effect.Effect<
      { readonly saved: SavedChannel; readonly created: boolean; readonly etag: string },
      Failure | InvalidChannel | Overloaded
    >
    /** Removes the channel's folder. `Conflict`: jobs of it are started. */
    readonly remove: (
      tenant: TenantId,
      channel: ChannelName,
      preconditions: Preconditions
    ) => Effect.Effect<void, Failure | NotFound>
  }
>()("flow/channels/ChannelDefinitions") {
  static readonly layer = Layer.effect(
    ChannelDefinitions,
    Effect.gen(function* () {
      const store = yield* ChannelFiles
      const folders = yield* ChannelFolders
      const jobs = yield* JobStore
      const audit = yield* Audit

      const started = (tenant: TenantId, channel: ChannelName) =>
        Effect.map(jobs.list(tenant, channel), (states) =>
          states
            .filter(({ desired, status }) => desired || isUnderWay(status))
            .map(({ cluster, job }) => `${cluster}/${job}`)
        )

      return ChannelDefinitions.of({
        files: Effect.fn("ChannelDefinitions.files")(function* (tenant, channel) {
          const found = isPathName(channel) ? yield* store.read(tenant, channel) : undefined
          if (found === undefined) return yield* new NotFound({ kind: "channel", tenant, id: channel })
          const refused = yield* Effect.result(store.writable(tenant)).pipe(
            Effect.map((result) => (Result.isFailure(result) ? result.failure : undefined))
          )
          if (refused?._tag === "StorageUnreachable") return yield* refused
          const reason = refused === undefined ? {} : { reason: refused.detail ?? refused.title }
          const definition = {
            channel,
            files: found.files,
            digest: found.digest,
            writable: refused === undefined,
            ...reason
          }
          return { definition, etag: `"${found.digest}"` }
        }),
        save: Effect.fn("ChannelDefinitions.save")(function* (tenant, channel, body, preconditions) {
          if (!isPathName(channel)) {
            const detail = "A channel's name has letters, digits, `.`, `_`, `-`, and at most 63 characters"
            return yield* new BadRequest({ detail, issues: [{ part: "path", pointer: "/channel", detail }] })
          }
          const files = yield* readChannel(body)
          yield* store.writable(tenant)
          const { issues, jobs: defined } = yield* folders.check(tenant, channel, files)
          if (issues.length > 0) return yield* invalidChannel(tenant, channel, issues)
          let created = false
          yield* store.replace(
            tenant,
            channel,
            files,
            Effect.fnUntraced(function* (current) {
              const failed = preconditionFault(preconditions, current)
              if (failed !== undefined) return yield* failed
              created = current === undefined
              const after = yield* digestOf(files)
              yield* audit.begin({ tenant, action: "channels.save", target: channel, before: current?.digest, after })
            })
          )
          const digest = yield* digestOf(files)
          const saved = { channel, digest, jobs: defined, restart: yield* started(tenant, channel) }
          return { saved, created, etag: `"${digest}"` }
        }),
        remove: Effect.fn("ChannelDefinitions.remove")(function* (tenant, channel, preconditions) {
          const missing = new NotFound({ kind: "channel", tenant, id: channel })
          if (!isPathName(channel)) return yield* missing
          yield* store.writable(tenant)
          yield* store.replace(
            tenant,
            channel,
            undefined,
            Effect.fnUntraced(function* (current) {
              if (current === undefined) return yield* missing
              const failed = preconditionFault(preconditions, current)
              if (failed !== undefined) return yield* failed
              const [job] = yield* started(tenant, channel)
              if (job !== undefined) {
                const detail = `The job ${job} is started: stop the channel first`
                return yield* new Conflict({ detail, state: "ACTIVE" })
              }
              yield* audit.begin({ tenant, action: "channels.remove", target: channel, before: current.digest })
            })
          )
        })
      })
    })
  )
}
