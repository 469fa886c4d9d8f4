import { Cron, Effect, Result, Schema } from "effect"
import type { Issue } from "../../errors/BadRequest.ts"
import { isPossible } from "../../languages/cron/CronText.ts"
import { DurationText, durationMillis } from "../../languages/DurationText.ts"
import { readDocument, type SourceFile } from "../../languages/document/Document.ts"
import { pointerOf } from "../../languages/document/Pointer.ts"
import { schemaFaults } from "../../languages/SchemaFaults.ts"
import { type Runtime, runtimes } from "../../protocol/Flowline.ts"
import type { Values } from "../../protocol/Parameters.ts"
import { RelativePath } from "../shared/requests/RelativePath.ts"
import { strict } from "../shared/requests/RequestProblems.ts"
import { ClusterName, JobName, PathName } from "./Job.ts"

/** How a failed job is repeated: pauses in milliseconds, and the number of failures per hour. */
export interface RestartPolicy {
  readonly initial: number
  readonly max: number
  readonly perHour: number
}

/** A job as defined in the channel's structure. */
export interface JobDefinition {
  readonly name: JobName
  readonly cluster: ClusterName
  readonly runtime: Runtime
  /** Path of the flowline file in the channel's folder; if absent, `<name>.yaml`, `.hjson` or `.json`. */
  readonly flowline: string | undefined
  /** The schedule of a batch job; without one, the job runs continuously. */
  readonly schedule: Cron.Cron | undefined
  readonly restart: RestartPolicy
  /** What the job gives for the flowline's parameters. */
  readonly parameters?: Values
}

/** Cron expressions with six fields, of which the first is seconds. */
const Schedule = Schema.String.check(
  Schema.makeFilter((text: string) => {
    const cron = text.trim().split(/\s+/).length === 6 ? Cron.parse(text, "UTC") : undefined
    if (cron === undefined || Result.isFailure(cron)) {
      return "Expected a cron expression with seconds first, such as 0 */5 * * * *"
    }
    return isPossible(text, cron.success) ? undefined : "This schedule never fires: none of its months has such a day"
  })
)

const Restart = Schema.Struct({
  initial: DurationText.pipe(Schema.withDecodingDefaultKey(Effect.succeed("1s"))),
  max: DurationText.pipe(Schema.withDecodingDefaultKey(Effect.succeed("60s"))),
  perHour: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 10_000 })).pipe(
    Schema.withDecodingDefaultKey(Effect.succeed(20))
  )
})

const Application = Schema.Struct({
  name: PathName.pipe(Schema.fromBrand("JobName", JobName)),
  runtime: Schema.Literals(runtimes),
  cluster: PathName.pipe(
    Schema.fromBrand("ClusterName", ClusterName),
    Schema.withDecodingDefaultKey(Effect.succeed("local"))
  ),
  flowline: Schema.optionalKey(RelativePath),
  schedule: Schema.optionalKey(Schedule),
  parameters: Schema.optionalKey(Schema.Record(Schema.String, Schema.Unknown)),
  restart: Restart.pipe(Schema.withDecodingDefaultKey(Effect.succeed({})))
})

const Applications = Schema.NonEmptyArray(Application).check(Schema.isMaxLength(1000))

const Structure = Schema.Struct({
  version: Schema.optionalKey(Schema.Union([Schema.String, Schema.Number])),
  applications: Schema.optionalKey(Applications),
  jobs: Schema.optionalKey(Applications)
})

const decodeStructure = Schema.decodeUnknownResult(Structure, strict)

/** The runtimes whose runs end by themselves. */
const batch: ReadonlySet<Runtime> = new Set(["analytics", "pybatch"])

interface Finding {
  readonly path: ReadonlyArray<PropertyKey>
  readonly detail: string
  /** The member's name is at fault, not its value. */
  readonly key?: true
}

const read = (value: unknown): Result.Result<ReadonlyArray<JobDefinition>, ReadonlyArray<Finding>> => {
  const decoded = decodeStructure(value)
  if (Result.isFailure(decoded)) {
    return Result.fail(schemaFaults(decoded.failure.issue))
  }
  const { applications, jobs } = decoded.success
  const key = applications === undefined ? "jobs" : "applications"
  const listed = applications ?? jobs
  if (listed === undefined || (applications !== undefined && jobs !== undefined)) {
    return Result.fail([{ path: [], detail: "Expected either `applications` or its synonym `jobs`" }])
  }
  const faults: Array<Finding> = []
  const names = new Set<string>()
  const definitions = listed.map(({ flowline, schedule, restart, ...job }, index): JobDefinition => {
    const name = `${job.cluster}/${job.name}`
    if (names.has(name)) faults.push({ path: [key, index, "name"], detail: `Two jobs are named ${name}` })
    names.add(name)
    if (schedule !== undefined && !batch.has(job.runtime)) {
      faults.push({
        path: [key, index, "schedule"],
        detail: `A ${job.runtime} job runs continuously and cannot have a schedule`
      })
    }
    return {
      ...job,
      flowline,
      schedule: schedule === undefined ? undefined : Cron.parseUnsafe(schedule, "UTC"),
      restart: { initial: durationMillis(restart.initial), max: durationMillis(restart.max), perHour: restart.perHour }
    }
  })
  return faults.length === 0 ? Result.succeed(definitions) : Result.fail(faults)
}

/** Maximum number of issues: more would be repetitive. */
const mostIssues = 200

/** Parsing so much takes up to 50 ms, during which the event loop is blocked. */
const size = { maxTokens: 40_000, maxValues: 40_000 }

/** The jobs of a `channel_structure` file (YAML, HJSON or JSON), or all its faults, in the order of the file. */
export const readStructure = (file: SourceFile): Result.Result<ReadonlyArray<JobDefinition>, ReadonlyArray<Issue>> => {
  const document = readDocument(file, size)
  if (Result.isFailure(document)) return Result.fail(document.failure)
  const jobs = read(document.success.value)
  if (Result.isSuccess(jobs)) return Result.succeed(jobs.success)
  const issues = jobs.failure.map(({ path, detail, key }): Issue => {
    const position = document.success.position(path, key === true ? "key" : "value")
    return { pointer: pointerOf(path), detail, ...position }
  })
  issues.sort((a, b) => (a.line ?? 0) - (b.line ?? 0) || (a.column ?? 0) - (b.column ?? 0))
  const others = issues.length - mostIssues
  return Result.fail(
    others > 0 ? [...issues.slice(0, mostIssues), { detail: `There are ${others} more issues` }] : issues
  )
}
