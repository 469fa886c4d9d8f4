import { Context, Effect, Layer, Result, Schema, Stream } from "effect"
import type { BadRequest, Issue } from "../../errors/BadRequest.ts"
import { InvalidChannel } from "../../errors/InvalidChannel.ts"
import type { Overloaded } from "../../errors/Overloaded.ts"
import type { StorageUnreachable } from "../../errors/StorageUnreachable.ts"
import { maxBytes, type SourceFile } from "../../languages/document/Document.ts"
import { Conf } from "../conf/Conf.ts"
import { type Definition, parametersPart } from "../flowlines/Decoder.ts"
import { Flowlines } from "../flowlines/Flowlines.ts"
import type { TenantId } from "../shared/Tenant.ts"
import { type ChannelTexts, channelsIn, formerOf, passingFolder } from "./ChannelFiles.ts"
import { ChannelName, PathName } from "./Job.ts"
import { type JobDefinition, readStructure } from "./Structure.ts"

/** A job and the path of its flowline file in the tenant's configuration. */
export interface ChannelJob extends JobDefinition {
  readonly file: string
}

/** A channel's structure: its jobs, or its faults. */
interface ChannelStructure {
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
interface JobFault {
  /** Path in the tenant's configuration. */
  readonly file: string
  readonly issues: ReadonlyArray<Issue>
}

/** A job's valid flowline, and the path of its file in the tenant's configuration. */
interface JobFlowline extends Definition {
  readonly file: string
}

const extensions = ["yaml", "hjson", "json"]
const isPathName = Schema.is(PathName)

/** Where a job's flowline may be: in the declared file, else in the first existing `<job>.yaml`, `.hjson` or `.json`. */
const namesOf = (job: JobDefinition): ReadonlyArray<string> =>
  job.flowline !== undefined ? [job.flowline] : extensions.map((extension) => `${job.name}.${extension}`)

const structureNames = extensions.map((extension) => `channel_structure.${extension}`)

/** A file of a channel; its path is that in the tenant's configuration. */
interface FoundFile {
  readonly path: string
  readonly bytes: Uint8Array<ArrayBuffer>
}

/** Finds the first of the files that exists; their names are paths in the channel's folder. */
type Find<E> = (names: ReadonlyArray<string>) => Effect.Effect<FoundFile | undefined, E>

const pathOf = (channel: ChannelName, name: string): string => `channels/${channel}/${name}`

const readChannel = Effect.fnUntraced(function* <E>(name: ChannelName, find: Find<E>) {
  const faulty = (issues: ReadonlyArray<Issue>, file = pathOf(name, structureNames[0]!)): ChannelStructure => ({
    name,
    jobs: [],
    file,
    issues
  })
  if (!isPathName(name)) return faulty([{ detail: "The folder's name cannot be that of a channel" }])
  const found = yield* find(structureNames)
  if (found === undefined)
    return faulty([{ detail: "There is no channel_structure.yaml, .hjson or .json that can be read" }])
  const source: SourceFile = { name: found.path, bytes: found.bytes }
  const jobs = readStructure(source)
  if (Result.isFailure(jobs)) return faulty(jobs.failure, found.path)
  return { name, jobs: jobs.success, file: found.path, issues: [] } satisfies ChannelStructure
})

/** An issue of a parameter that the job gives: it stands in the channel's structure, not in the flowline. */
const ofJob = ({ part, pointer = "", detail, ...place }: Issue): Issue =>
  part === parametersPart
    ? { detail: `The job's parameters in the channel's structure${pointer === "" ? "" : `, ${pointer}`}: ${detail}` }
    : { ...(part === undefined ? {} : { part }), pointer, detail, ...place }

/** Maximum number of issues of a channel: more would be repetitive, and its jobs may share one faulty flowline. */
const mostIssues = 200

/**
 * The faults of jobs, in the order of the jobs, until there are more than are told: then the other jobs are not looked at.
 * One issue more than the maximum is told as it is, because it may count those that a flowline has beyond that.
 */
export const jobFaults = Effect.fnUntraced(function* <Job, E>(
  jobs: ReadonlyArray<Job>,
  flowlineOf: (job: Job) => Effect.Effect<Result.Result<JobFlowline, JobFault>, E>
) {
  let count = 0
  let skips = false
  const faultsOf = Effect.fnUntraced(function* (job: Job) {
    if (count > mostIssues) {
      skips = true
      return []
    }
    const flowline = yield* flowlineOf(job)
    if (Result.isSuccess(flowline)) return []
    const { file, issues } = flowline.failure
    count += issues.length
    return issues.map((issue) => ({ file, ...issue }))
  })
  const found: InvalidChannel["issues"] = (yield* Effect.forEach(jobs, faultsOf, { concurrency: 4 })).flat()
  const isWhole = !skips && count <= mostIssues + 1
  return isWhole ? found : [...found.slice(0, mostIssues), { detail: "There are more issues" }]
})

/** The channels in the tenants' configurations, read anew on each call. */
export class ChannelFolders extends Context.Service<
  ChannelFolders,
  {
    readonly names: (tenant: TenantId) => Effect.Effect<ReadonlyArray<ChannelName>, StorageUnreachable>
    readonly read: (tenant: TenantId, channel: ChannelName) => Effect.Effect<ChannelFolder, StorageUnreachable>
    /**
     * Reads the structure alone, for callers that need one of many jobs: each file takes several calls of the file
     * system, and each call takes long on a busy machine.
     */
    readonly structure: (tenant: TenantId, channel: ChannelName) => Effect.Effect<ChannelStructure, StorageUnreachable>
    readonly flowline: (
      tenant: TenantId,
      channel: ChannelName,
      job: JobDefinition
    ) => Effect.Effect<Result.Result<JobFlowline, JobFault>, Overloaded | StorageUnreachable>
    /** The faults of a channel with these files, and its jobs (`<cluster>/<job>`). */
    readonly check: (
      tenant: TenantId,
      channel: ChannelName,
      files: ChannelTexts
    ) => Effect.Effect<
      { readonly issues: InvalidChannel["issues"]; readonly jobs: ReadonlyArray<string> },
      Overloaded | StorageUnreachable
    >
  }
>()("flow/channels/ChannelFolders") {
  static readonly layer = Layer.effect(
    ChannelFolders,
    Effect.gen(function* () {
      const conf = yield* Conf
      const flowlines = yield* Flowlines

      const open = Effect.fn("ChannelFolders.file")((tenant: TenantId, path: string) =>
        conf.open(tenant, path).pipe(
          // At most one byte over the size limit is read, so a larger file is refused.
          Effect.flatMap(({ size, read }) =>
            Stream.mkUint8Array(read({ start: 0, end: Math.min(size, maxBytes + 1) }))
          ),
          Effect.scoped,
          Effect.catchTag(["NotFound", "DirectoryRead"], () => Effect.undefined)
        )
      )

      const foldersOf = (tenant: TenantId) => conf.folders(tenant, "channels")

      /** While the channel's folder is replaced, its former one counts. After that the channel's own is there again. */
      const onDisk = (tenant: TenantId, channel: ChannelName): Find<StorageUnreachable> =>
        Effect.fnUntraced(function* (names) {
          const look = Effect.fnUntraced(function* (folder: string) {
            for (const name of names) {
              const bytes = yield* open(tenant, `channels/${folder}/${name}`)
              if (bytes !== undefined) return { path: pathOf(channel, name), bytes }
            }
            return undefined
          })
          const found = yield* look(channel)
          if (found !== undefined) return found
          const former = formerOf(yield* foldersOf(tenant), channel)
          return (former === undefined ? undefined : yield* look(former)) ?? (yield* look(channel))
        })

      const flowlineOf = Effect.fn("ChannelFolders.flowline")(function* <E>(
        tenant: TenantId,
        channel: ChannelName,
        job: JobDefinition,
        find: Find<E>
      ) {
        const names = namesOf(job)
        const found = yield* find(names)
        const file = found?.path ?? pathOf(channel, names[0]!)
        const fault = (issues: ReadonlyArray<Issue>) => Result.fail<JobFault>({ file, issues })
        if (found === undefined) return fault([{ detail: "There is no such file, or it cannot be read" }])
        const checked = yield* flowlines
          .check(tenant, { name: found.path, bytes: found.bytes }, job.parameters ?? {})
          .pipe(
            Effect.map((definition): Result.Result<Definition, BadRequest> => Result.succeed(definition)),
            Effect.catchTag("BadRequest", (error) => Effect.succeed(Result.fail(error)))
          )
        if (Result.isFailure(checked)) return fault((checked.failure.issues ?? []).map(ofJob))
        const { runtime } = checked.success.flowline
        if (runtime !== job.runtime) {
          const detail = `The flowline is for ${runtime}, and the channel's structure says ${job.runtime}`
          return fault([{ pointer: "/runtime", detail }])
        }
        return Result.succeed<JobFlowline>({ ...checked.success, file })
      })

      const structure = Effect.fn("ChannelFolders.structure")((tenant: TenantId, name: ChannelName) =>
        readChannel(name, onDisk(tenant, name))
      )

      return ChannelFolders.of({
        names: Effect.fn("ChannelFolders.names")(function* (tenant) {
          // A listing may miss a folder that is being renamed, and the next one has it.
          const first = yield* foldersOf(tenant)
          const isChanging = first.some((name) => passingFolder(name)?.state === "former")
          const names = isChanging ? [...channelsIn(first), ...channelsIn(yield* foldersOf(tenant))] : channelsIn(first)
          return [...new Set(names)].sort().map((name) => ChannelName(name))
        }),
        structure,
        read: Effect.fn("ChannelFolders.read")(function* (tenant, name) {
          const found = yield* structure(tenant, name)
          const find = onDisk(tenant, name)
          const withFile = Effect.fnUntraced(function* (job: JobDefinition) {
            const names = namesOf(job)
            const first = names.length === 1 ? undefined : yield* find(names)
            return { ...job, file: first?.path ?? pathOf(name, names[0]!) }
          })
          return { ...found, jobs: yield* Effect.forEach(found.jobs, withFile) }
        }),
        flowline: (tenant, channel, job) => flowlineOf(tenant, channel, job, onDisk(tenant, channel)),
        check: Effect.fn("ChannelFolders.check")(function* (tenant, channel, files) {
          const find: Find<never> = (names) => {
            const name = names.find((one) => Object.hasOwn(files, one))
            if (name === undefined) return Effect.undefined
            return Effect.succeed({ path: pathOf(channel, name), bytes: new TextEncoder().encode(files[name]) })
          }
          const { jobs, issues, file } = yield* readChannel(channel, find)
          const faults = yield* jobFaults(jobs, (job) => flowlineOf(tenant, channel, job, find))
          return {
            issues: [...issues.map((issue) => ({ file, ...issue })), ...faults],
            jobs: jobs.map(({ cluster, name }) => `${cluster}/${name}`)
          }
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

/** The failure for a channel with these faults. Its detail is the first one, with its file. */
export const invalidChannel = (tenant: TenantId, channel: ChannelName, issues: InvalidChannel["issues"]) => {
  const [first] = issues
  const file = first?.file === undefined ? "" : `${first.file}: `
  const more = issues.length > 1 ? ` (and ${issues.length > mostIssues ? "many" : issues.length - 1} more)` : ""
  const detail = first === undefined ? "" : `${file}${issueText(first)}${more}`
  return new InvalidChannel({ tenant, channel, issues, detail })
}
