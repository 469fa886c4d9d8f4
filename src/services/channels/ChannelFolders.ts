import { Context, Effect, Layer, Result, Schema, Stream } from "effect"
import type { BadRequest, Issue } from "../../errors/BadRequest.ts"
import type { Overloaded } from "../../errors/Overloaded.ts"
import type { StorageUnreachable } from "../../errors/StorageUnreachable.ts"
import { maxBytes, type SourceFile } from "../../languages/document/Document.ts"
import { Conf } from "../conf/Conf.ts"
import { type Definition, parametersPart } from "../flowlines/Decoder.ts"
import { Flowlines } from "../flowlines/Flowlines.ts"
import type { TenantId } from "../shared/Tenant.ts"
import { ChannelName, PathName } from "./Job.ts"
import { type JobDefinition, readStructure } from "./Structure.ts"

/** A job and the path of its flowline file in the tenant's configuration. */
export interface ChannelJob extends JobDefinition {
  readonly file: string
}

/** A channel's structure: its jobs, or its faults. */
export interface ChannelStructure {
  readonly name: ChannelName
  readonly jobs: ReadonlyArray<JobDefinition>
  /** Path of the structure file in the tenant's configuration. */
  readonly file: string
  readonly issues: ReadonlyArray<Issue>
}

/** A channel's folder: its structure, and where the flowlines of its jobs are. */
export interface ChannelFolder extends ChannelStructure {
  readonly jobs: ReadonlyArray<ChannelJob>
}

/** The faults of a job's flowline. */
export interface JobFault {
  /** Path in the tenant's configuration. */
  readonly file: string
  readonly issues: ReadonlyArray<Issue>
}

/** A job's valid flowline, and the path of its file in the tenant's configuration. */
export interface JobFlowline extends Definition {
  readonly file: string
}

const extensions = ["yaml", "hjson", "json"]
const isPathName = Schema.is(PathName)

/** Where a job's flowline may be: in the declared file, else in the first existing `<job>.yaml`, `.hjson` or `.json`. */
const pathsOf = (channel: ChannelName, job: JobDefinition): ReadonlyArray<string> =>
  job.flowline !== undefined
    ? [`channels/${channel}/${job.flowline}`]
    : extensions.map((extension) => `channels/${channel}/${job.name}.${extension}`)

/** An issue of a parameter that the job gives: it stands in the channel's structure, not in the flowline. */
const ofJob = ({ part, pointer = "", detail, ...place }: Issue): Issue =>
  part === parametersPart
    ? { detail: `The job's parameters in the channel's structure${pointer === "" ? "" : `, ${pointer}`}: ${detail}` }
    : { ...(part === undefined ? {} : { part }), pointer, detail, ...place }

/** The channels in the tenants' configurations, read anew on each call. */
export class ChannelFolders extends Context.Service<
  ChannelFolders,
  {
    readonly names: (tenant: TenantId) => Effect.Effect<ReadonlyArray<ChannelName>, StorageUnreachable>
    readonly read: (tenant: TenantId, channel: ChannelName) => Effect.Effect<ChannelFolder, StorageUnreachable>
    /**
     * Reads the structure alone, for who needs one job of many: each file takes several calls of the file system, and
     * each call takes long on a busy machine.
     */
    readonly structure: (tenant: TenantId, channel: ChannelName) => Effect.Effect<ChannelStructure, StorageUnreachable>
    readonly flowline: (
      tenant: TenantId,
      channel: ChannelName,
      job: JobDefinition
    ) => Effect.Effect<Result.Result<JobFlowline, JobFault>, Overloaded | StorageUnreachable>
  }
>()("flow/channels/ChannelFolders") {
  static readonly layer = Layer.effect(
    ChannelFolders,
    Effect.gen(function* () {
      const conf = yield* Conf
      const flowlines = yield* Flowlines

      /** The first existing file. At most one byte over the size limit is read, so a larger file is refused. */
      const firstOf = Effect.fn("ChannelFolders.file")(function* (tenant: TenantId, paths: ReadonlyArray<string>) {
        for (const path of paths) {
          const file = yield* conf.open(tenant, path).pipe(
            Effect.flatMap(({ size, read }) => {
              const span = { start: 0, end: Math.min(size, maxBytes + 1) }
              return Stream.mkUint8Array(read(span))
            }),
            Effect.map((bytes) => ({ path, bytes })),
            Effect.scoped,
            Effect.catchTag(["NotFound", "DirectoryRead"], () => Effect.undefined)
          )
          if (file !== undefined) return file
        }
        return undefined
      })

      const structure = Effect.fn("ChannelFolders.structure")(function* (tenant: TenantId, name: ChannelName) {
        const paths = extensions.map((extension) => `channels/${name}/channel_structure.${extension}`)
        const faulty = (issues: ReadonlyArray<Issue>, file = paths[0]!): ChannelStructure => ({
          name,
          jobs: [],
          file,
          issues
        })
        if (!isPathName(name)) return faulty([{ detail: "The folder's name cannot be that of a channel" }])
        const found = yield* firstOf(tenant, paths)
        if (found === undefined)
          return faulty([{ detail: "There is no channel_structure.yaml, .hjson or .json that can be read" }])
        const source: SourceFile = { name: found.path, bytes: found.bytes }
        const jobs = readStructure(source)
        if (Result.isFailure(jobs)) return faulty(jobs.failure, found.path)
        return { name, jobs: jobs.success, file: found.path, issues: [] }
      })

      return ChannelFolders.of({
        names: (tenant) =>
          Effect.map(conf.folders(tenant, "channels"), (names) => names.map((name) => ChannelName(name))),
        structure,
        read: Effect.fn("ChannelFolders.read")(function* (tenant, name) {
          const found = yield* structure(tenant, name)
          const withFile = Effect.fnUntraced(function* (job: JobDefinition) {
            const paths = pathsOf(name, job)
            return { ...job, file: (paths.length === 1 ? undefined : yield* firstOf(tenant, paths))?.path ?? paths[0]! }
          })
          return { ...found, jobs: yield* Effect.forEach(found.jobs, withFile) }
        }),
        flowline: Effect.fn("ChannelFolders.flowline")(function* (tenant, channel, job) {
          const paths = pathsOf(channel, job)
          const found = yield* firstOf(tenant, paths)
          const file = found?.path ?? paths[0]!
          const fault = (issues: ReadonlyArray<Issue>) => Result.fail<JobFault>({ file, issues })
          if (found === undefined) return fault([{ detail: "There is no such file, or it cannot be read" }])
          const { path, bytes } = found
          const checked = yield* flowlines.check(tenant, { name: path, bytes }, job.parameters ?? {}).pipe(
            Effect.map((definition): Result.Result<Definition, BadRequest> => Result.succeed(definition)),
            Effect.catchTag("BadRequest", (error) => Effect.succeed(Result.fail(error)))
          )
          if (Result.isFailure(checked)) return fault((checked.failure.issues ?? []).map(ofJob))
          const { runtime } = checked.success.flowline
          if (runtime !== job.runtime) {
            const detail = `The flowline is for ${runtime}, and the channel's structure says ${job.runtime}`
            return fault([{ pointer: "/runtime", detail }])
          }
          return Result.succeed({ ...checked.success, file })
        })
      })
    })
  )
}

/** An issue on one line, for a status or a log. */
export const issueText = ({ detail, pointer, line, column }: Issue): string => {
  const place = line === undefined ? "" : `line ${line}${column === undefined ? "" : `, column ${column}`}: `
  return `${place}${pointer === undefined || pointer === "" ? "" : `${pointer}: `}${detail}`
}
