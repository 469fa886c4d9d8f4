import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { unreachable } from "../../../drivers/postgres/Unreachable.ts"
import { jobSilence, jobUnattended } from "../../../protocol/Liveness.ts"
import { type Failure, failuresOf, type JobKey, type JobState, jobScope } from "../../../services/channels/Job.ts"
import {
  type DesiredJob,
  type JobChange,
  type JobClaim,
  JobStore,
  TooManyJobs
} from "../../../services/channels/JobStore.ts"
import type { PrintedLine } from "../../../services/runs/Attempt.ts"
import type { LinePage } from "../../../services/shared/reads/OutputLines.ts"
import { isSilent } from "../gateways/HeartbeatSql.ts"
import { WideSql } from "../Postgres.ts"
import { filled, linePages, selectLines } from "../statements/Pages.ts"
import { storable, timeOf } from "../statements/SqlText.ts"
import { reached } from "../statements/StoredRows.ts"
import { addArchive, withinQuota } from "./PostgresArchiveStore.ts"
import { progressOf } from "./Progress.ts"

/** Number of output lines that are kept for a job. */
const keptLines = 1000
/** Number of new lines after which surplus lines are deleted. */
const tidyEvery = 250

const jsonOrNull = (value: unknown): string | null => (value === undefined ? null : JSON.stringify(value))

const storedFailures = (failures: ReadonlyArray<Failure>): string =>
  JSON.stringify(failures.map(({ at, error }) => (error === undefined ? { at } : { at, error: storable(error) })))

const milliseconds = (date: Date | null): number | undefined => date?.getTime()

/** Jobs in the tables `channel_jobs` and `channel_output`. */
export const layer = Layer.effect(
  JobStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const wide = yield* WideSql

    const isJob = ({ tenant, channel, cluster, job }: JobKey) =>
      sql`tenant = ${tenant} and channel = ${channel} and cluster = ${cluster} and job = ${job}`
    /** A stop counts at once, before the run has heard of it. */
    const current = (claim: JobClaim) =>
      sql`${isJob(claim)} and generation = ${claim.generation} and epoch = ${claim.epoch} and desired`
    const progress = progressOf(sql)
    const fence = (claim: JobClaim) =>
      sql`select 1 from channel_jobs where ${isJob(claim)} and epoch = ${claim.epoch} for update`

    /** All updates lock rows in the same order; otherwise two concurrent ones could deadlock. */
    const stopAll = (jobs: ReadonlyArray<JobKey>) => sql<DesiredJob>`
          with j as (
            select tenant, channel, cluster, job from channel_jobs
            where (tenant, channel, cluster, job) in (
              select tenant, channel, cluster, job
              from json_to_recordset(${JSON.stringify(jobs)}::json) as j(tenant text, channel text, cluster text, job text)
            )
            order by tenant, channel, cluster, job for update
          )
          update channel_jobs c set desired = false, generation = c.generation + desired::integer
          from j where (c.tenant, c.channel, c.cluster, c.job) = (j.tenant, j.channel, j.cluster, j.job)
          returning c.tenant, c.channel, c.cluster, c.job, c.generation::float8 as generation`

    const startAll = (jobs: ReadonlyArray<JobKey>, always: boolean) => sql<DesiredJob>`
        insert into channel_jobs as c (tenant, channel, cluster, job, desired, generation, status)
        select tenant, channel, cluster, job, true, 1, 'STARTING'
        from json_to_recordset(${JSON.stringify(jobs)}::json) as j(tenant text, channel text, cluster text, job text)
        order by tenant, channel, cluster, job
        on conflict (tenant, channel, cluster, job) do update set
          (desired, generation, work, status, since, restarts, failures, last_error, next_at) = (
            select true, c.generation + fresh::integer, c.work + fresh::integer,
              case when fresh then 'STARTING' else c.status end,
              case when fresh then clock_timestamp() else c.since end,
              case when fresh then 0 else c.restarts end,
              case when fresh then '[]'::jsonb else c.failures end,
              case when fresh then null else c.last_error end,
              case when fresh then null else c.next_at end
            from (select ${always} or not c.desired or c.status in ('FAILED', 'FINISHED') as fresh) as f
          )
        returning c.tenant, c.channel, c.cluster, c.job, c.generation::float8 as generation`

    const requestChange: JobStore["Service"]["requestChange"] = Effect.fn("JobStore.requestChange")(function* (
      change,
      jobs,
      most
    ) {
      const changed = change === "stop" ? stopAll(jobs) : startAll(jobs, change === "restart")
      const [first] = jobs
      if (most === undefined || change === "stop" || first === undefined) return yield* changed
      return yield* sql.withTransaction(
        Effect.gen(function* () {
          const all = yield* changed
          const [row] = yield* sql<{ used: number }>`select flow_started_jobs(${first.tenant})::float8 as used`
          return row !== undefined && row.used > most ? yield* new TooManyJobs({ used: row.used }) : all
        })
      )
    }, unreachable)

    const claim: JobStore["Service"]["claim"] = Effect.fn("JobStore.claim")(function* (job, node) {
      const [row] = yield* sql<Omit<JobClaim, "failures" | "nextAt"> & { failures: string; next_at: Date | null }>`
        update channel_jobs set epoch = epoch + 1, node = ${node}, heartbeat_at = clock_timestamp(), job_id = null
        from (select job_id as previous from channel_jobs where ${isJob(job)} for update) as before
        where ${isJob(job)} and generation = ${job.generation} and desired and status not in ('FAILED', 'FINISHED')
        returning tenant, channel, cluster, job, generation::float8 as generation, epoch::float8 as epoch,
          work::float8 as work, restarts::float8 as restarts, failures::text as failures, next_at, lines::float8 as lines, previous`
      if (row === undefined) return undefined
      const { failures, next_at, ...rest } = row
      return { ...rest, failures: failuresOf(failures), nextAt: milliseconds(next_at) }
    }, unreachable)

    const change = Effect.fn("JobStore.change")(function* (claim: JobClaim, change: JobChange) {
      const { status, jobId, lastError, restarts, failures, nextAt, work, archive, succeeded = false } = change
      const { nodes, outcome } = change
      const write = reached(sql`
        with ended as (
        update channel_jobs set status = ${status}, since = case when status = ${status} then since else clock_timestamp() end,
          job_id = coalesce(${jobId ?? null}::text, job_id),
          last_error = coalesce(${lastError === undefined ? null : storable(lastError)}::text, last_error),
          restarts = coalesce(${restarts ?? null}::bigint, restarts),
          work = coalesce(${work ?? null}::bigint, work),
          nodes = coalesce(${jsonOrNull(nodes)}::text, nodes), outcome = coalesce(${jsonOrNull(outcome)}::text, outcome),
          failures = coalesce(${failures === undefined ? null : storedFailures(failures)}::text::jsonb, failures),
          next_at = ${nextAt === undefined ? sql`next_at` : timeOf(sql, nextAt)}, heartbeat_at = clock_timestamp()
        where ${current(claim)} returning tenant
        ), files as (
          delete from appended_files using ended
          where ${succeeded} and appended_files.tenant = ${claim.tenant} and scope = ${jobScope(claim)}
        )${addArchive(sql, archive)}
        select 1 from ended`)
      return yield* withinQuota(sql, claim.tenant, archive, change.archives, write)
    }, unreachable)

    // A write whose answer got lost is made again: what is there then is what this one says.
    const output = Effect.fn("JobStore.output")(function* (claim: JobClaim, lines: ReadonlyArray<PrintedLine>) {
      const rows = JSON.stringify(lines.map((line) => ({ ...line, text: storable(line.text) })))
      const last = lines.at(-1)?.seq ?? 0
      const written = yield* reached(sql`
        with job as (
          update channel_jobs set lines = ${last} where ${current(claim)} returning tenant, channel, cluster, job
        ), added as (
          insert into channel_output (tenant, channel, cluster, job, seq, at, component, text)
          select j.tenant, j.channel, j.cluster, j.job, l.seq, to_timestamp(l.at / 1000), l.component, l.text
          from job j, json_to_recordset(${rows}::json)
            as l(seq bigint, at double precision, component text, text text)
          on conflict do nothing
        )
        select 1 from job`)
      const first = lines[0]?.seq ?? last
      if (written && Math.floor(last / tidyEvery) > Math.floor((first - 1) / tidyEvery)) {
        yield* sql`delete from channel_output where ${isJob(claim)} and seq <= ${last - keptLines}`
      }
      return written
    }, unreachable)

    const lines = ({ tenant, channel, cluster, job }: JobKey, after: number, page: LinePage) =>
      selectLines(
        wide,
        wide`channel_output where tenant = ${tenant} and channel = ${channel} and cluster = ${cluster} and job = ${job}
          and seq > ${after}`,
        page
      )

    return JobStore.of({
      requestChange,
      claim,
      change,
      output,
      list: (tenant, channel) =>
        unreachable(sql<JobKey & JobState>`
          select tenant, channel, cluster, job, desired, flow_iso(since) as since, restarts::float8 as restarts,
            last_error as "lastError", node, job_id as "jobId", flow_iso(next_at) as "nextRun", failures::text as failures,
            nodes, outcome,
            case
              when status not in ('STARTING', 'ACTIVE', 'RESTARTING') then status
              when heartbeat_at is not null and ${isSilent(sql, sql`heartbeat_at`, jobSilence)} is not true then status
              when not desired then 'STOPPED'
              when status = 'STARTING' then status
              else 'RESTARTING'
            end as status
          from channel_jobs
          where tenant = ${tenant} and ${channel === undefined ? sql`true` : sql`channel = ${channel}`}
          order by channel, cluster, job`),
      beat: (claim, nodes, outcome) =>
        unreachable(
          reached(sql`
            update channel_jobs set heartbeat_at = clock_timestamp(), nodes = coalesce(${jsonOrNull(nodes)}::text, nodes),
              outcome = coalesce(${jsonOrNull(outcome)}::text, outcome)
            where ${current(claim)} returning 1`)
        ),
      release: (claim) =>
        unreachable(
          Effect.asVoid(sql`
            update channel_jobs set epoch = epoch + 1, node = null, heartbeat_at = null,
              status = case when status = 'ACTIVE' then 'STARTING' else status end
            where ${isJob(claim)} and epoch = ${claim.epoch} and desired`)
        ),
      stopped: (job) =>
        unreachable(
          Effect.asVoid(sql`
            update channel_jobs set status = 'STOPPED', since = clock_timestamp(), epoch = epoch + 1, node = null,
              job_id = null, next_at = null, heartbeat_at = null
            where ${isJob(job)} and generation = ${job.generation} and not desired and status <> 'STOPPED'`)
        ),
      progress: (claim, given) => unreachable(progress.save(fence(claim), claim.tenant, jobScope(claim), given)),
      claimFiles: (claim, paths) =>
        unreachable(progress.claimFiles(fence(claim), claim.tenant, jobScope(claim), paths)),
      lines: (job, after) => linePages(after, keptLines, (after, page) => lines(job, after, page)),
      linesAfter: (job, after, page) => unreachable(Effect.map(lines(job, after, page), filled)),
      beforeLast: Effect.fn("JobStore.beforeLast")(function* (job, lines) {
        const [row] = yield* sql<{ seq: number }>`
          select seq::float8 as seq from channel_output where ${isJob(job)} order by seq desc offset ${lines} limit 1`
        return row?.seq ?? 0
      }, unreachable),
      unattended: (suspended) =>
        unreachable(sql<DesiredJob>`
        update channel_jobs set generation = generation + 1
        where (tenant, channel, cluster, job) in (
          select tenant, channel, cluster, job from channel_jobs
          where ${isSilent(sql, sql`coalesce(heartbeat_at, since)`, jobUnattended)}
            and (desired and status not in ('FAILED', 'FINISHED') and not tenant = any(${suspended}::text[]) or not desired and status <> 'STOPPED')
          for update skip locked
        )
        returning tenant, channel, cluster, job, generation::float8 as generation`)
    })
  })
)
