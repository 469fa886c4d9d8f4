import { Clock, Effect, Layer, Stream } from "effect"
import {
  type Failure,
  type JobKey,
  type JobState,
  jobId,
  jobScope,
  neverStarted
} from "../../src/services/channels/Job.ts"
import { type JobClaim, JobStore, TooManyJobs } from "../../src/services/channels/JobStore.ts"
import type { PrintedLine } from "../../src/services/runs/Attempt.ts"
import { PositionStore } from "../../src/services/runs/PositionStore.ts"
import { AddArchive } from "./ArchiveStore.ts"
import { linePageOf } from "./Lists.ts"

interface Row {
  readonly key: JobKey
  state: JobState
  generation: number
  work: number
  epoch: number
  failures: ReadonlyArray<Failure>
  nextAt: number | undefined
  lines: ReadonlyArray<PrintedLine>
  lastSeq: number
}

const attemptOf = (claim: JobClaim) => ({ tenant: claim.tenant, id: jobId(claim), epoch: claim.epoch })

const keptLines = 1000
const iso = (millis: number) => new Date(millis).toISOString()

/** Jobs in memory. */
export const layer = Layer.effect(
  JobStore,
  Effect.gen(function* () {
    const positions = yield* PositionStore
    const addArchive = yield* AddArchive
    const rows = new Map<string, Row>()

    const set = (row: Row, state: Partial<JobState>, now: number) => {
      const since = state.status === undefined || state.status === row.state.status ? row.state.since : iso(now)
      row.state = { ...row.state, since, ...state }
    }
    const currentRow = (claim: JobClaim): Row | undefined => {
      const row = rows.get(jobId(claim))
      const isCurrent = row?.generation === claim.generation && row.epoch === claim.epoch && row.state.desired
      return isCurrent ? row : undefined
    }
    const write = (claim: JobClaim, change: (row: Row, now: number) => void) =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        const row = currentRow(claim)
        if (row !== undefined) change(row, now)
        return row !== undefined
      })

    const linesAfter = (key: JobKey, after: number) =>
      (rows.get(jobId(key))?.lines ?? [])
        .filter(({ seq }) => seq > after)
        .map(({ seq, at, component, text }) => ({
          seq,
          text,
          json: JSON.stringify({ seq, timestamp: iso(at), component, text })
        }))

    return JobStore.of({
      list: (tenant, channel) =>
        Effect.sync(() =>
          [...rows.values()]
            .filter(({ key }) => key.tenant === tenant && (channel === undefined || key.channel === channel))
            .sort((a, b) => (jobId(a.key) < jobId(b.key) ? -1 : 1))
            .map(({ key, state }) => ({ ...key, ...state }))
        ),
      requestChange: (change, jobs, most) =>
        Effect.flatMap(Clock.currentTimeMillis, (now) => {
          const isStarted = ({ desired, status }: JobState) => desired && status !== "FAILED" && status !== "FINISHED"
          const asked = new Set(jobs.map(jobId))
          const others = [...rows.values()].filter(
            ({ key, state }) => key.tenant === jobs[0]?.tenant && !asked.has(jobId(key)) && isStarted(state)
          )
          const used = others.length + asked.size
          if (most !== undefined && change !== "stop" && used > most) return Effect.fail(new TooManyJobs({ used }))
          const told = jobs.flatMap((key) => {
            let row = rows.get(jobId(key))
            if (row === undefined) {
              if (change === "stop") return []
              const state = neverStarted
              row = {
                key,
                state,
                generation: 0,
                work: 0,
                epoch: 0,
                failures: [],
                nextAt: undefined,
                lines: [],
                lastSeq: 0
              }
              rows.set(jobId(key), row)
            }
            const { desired, status } = row.state
            if (change === "stop") {
              if (desired) row.generation++
              row.state = { ...row.state, desired: false }
            } else if (change === "restart" || !desired || status === "FAILED" || status === "FINISHED") {
              row.generation++
              row.work++
              row.failures = []
              row.nextAt = undefined
              set(
                row,
                { desired: true, status: "STARTING", restarts: 0, lastError: null, nextRun: null, failures: "[]" },
                now
              )
            }
            return [{ ...row.key, generation: row.generation }]
          })
          return Effect.succeed(told)
        }),
      claim: (job, node) =>
        Effect.sync(() => {
          const row = rows.get(jobId(job))
          if (row?.generation !== job.generation || !row.state.desired) return undefined
          if (row.state.status === "FAILED" || row.state.status === "FINISHED") return undefined
          row.epoch++
          const { jobId: previous } = row.state
          row.state = { ...row.state, node, jobId: null }
          const { epoch, generation, work, failures, nextAt, lastSeq: lines } = row
          return {
            ...row.key,
            epoch,
            generation,
            work,
            failures,
            nextAt,
            lines,
            restarts: row.state.restarts,
            previous
          }
        }),
      beat: (claim, nodes, outcome) =>
        write(claim, (row) => {
          if (nodes !== undefined) row.state = { ...row.state, nodes: JSON.stringify(nodes) }
          if (outcome !== undefined) row.state = { ...row.state, outcome: JSON.stringify(outcome) }
        }),
      change: Effect.fnUntraced(function* (
        claim,
        { failures, nextAt, work, archive, archives, nodes, outcome, succeeded: _, ...change }
      ) {
        if (archive !== undefined && currentRow(claim) !== undefined) yield* addArchive(claim.tenant, archive, archives)
        return yield* write(claim, (row, now) => {
          if (failures !== undefined) {
            row.failures = failures
            row.state = { ...row.state, failures: JSON.stringify(failures) }
          }
          if (work !== undefined) row.work = work
          if (nextAt !== undefined) {
            row.nextAt = nextAt ?? undefined
            row.state = { ...row.state, nextRun: nextAt === null ? null : iso(nextAt) }
          }
          const told = {
            ...(nodes === undefined ? {} : { nodes: JSON.stringify(nodes) }),
            ...(outcome === undefined ? {} : { outcome: JSON.stringify(outcome) })
          }
          set(row, { ...change, ...told }, now)
        })
      }),
      release: (claim) =>
        Effect.asVoid(
          write(claim, (row, now) => {
            row.epoch++
            set(row, { node: null, ...(row.state.status === "ACTIVE" ? { status: "STARTING" } : {}) }, now)
          })
        ),
      stopped: (job) =>
        Effect.map(Clock.currentTimeMillis, (now) => {
          const row = rows.get(jobId(job))
          if (row?.generation !== job.generation || row.state.desired) return
          row.epoch++
          set(row, { status: "STOPPED", node: null, jobId: null, nextRun: null }, now)
        }),
      output: (claim, lines) =>
        write(claim, (row) => {
          row.lines = [...row.lines, ...lines].slice(-keptLines)
          row.lastSeq = lines.at(-1)?.seq ?? row.lastSeq
        }),
      progress: (claim, progress) => positions.save(attemptOf(claim), jobScope(claim), progress),
      claimFiles: (claim, paths) => positions.claimFiles(attemptOf(claim), jobScope(claim), paths),
      lines: (key, after) => Stream.suspend(() => Stream.fromIterable(linesAfter(key, after))),
      linesAfter: (key, after, page) => Effect.sync(() => linePageOf(linesAfter(key, after), page)),
      beforeLast: (key, lines) => Effect.sync(() => rows.get(jobId(key))?.lines.at(-lines - 1)?.seq ?? 0),
      unattended: () => Effect.succeed([])
    })
  })
)
