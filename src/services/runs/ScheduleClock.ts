import { Context, Cron, type Effect } from "effect"

/** A time of the clock by which schedules run. */
export interface ScheduleTime {
  /** Epoch milliseconds. */
  readonly at: number
  /** Sum of the jumps of that clock that this process has seen, in milliseconds. */
  readonly jumps: number
}

/**
 * The clock of the database, which all gateways share. Between two looks at it, time passes as it does in this process,
 * whatever happens to the clock of the gateway's machine. Only a jump of the database's clock turns it back.
 */
export class ScheduleClock extends Context.Service<ScheduleClock, { readonly now: Effect.Effect<ScheduleTime> }>()(
  "flow/runs/ScheduleClock"
) {}

const next = (schedule: Cron.Cron, after: number): number => Cron.next(schedule, after).getTime()

/** Jumps are measured with this inaccuracy, in milliseconds. */
const tolerance = 1000

/**
 * Whether a schedule has at least two more times within this span. A clock that jumps so far moves the schedule along:
 * its runs keep their distances. After a shorter jump each time of the clock counts once: one that was jumped over is
 * made up for, one that comes again is not run again.
 */
const isFrequent = (schedule: Cron.Cron, from: number, span: number): boolean =>
  next(schedule, next(schedule, from)) - from <= span + tolerance

/** The due time, moved by all jumps of the clock until now. */
export const carried = (schedule: Cron.Cron, due: ScheduleTime, { jumps }: ScheduleTime): ScheduleTime => {
  const jump = jumps - due.jumps
  if (jump === 0 || !isFrequent(schedule, due.at, Math.abs(jump))) return { at: due.at, jumps }
  const period = next(schedule, due.at) - due.at
  return { at: next(schedule, due.at + jump - period / 2), jumps }
}

/**
 * The first time that is due for a job that this process takes over. `stored` is what the process before knew, whose
 * clock may have been turned back since.
 */
export const resumed = (schedule: Cron.Cron, stored: number | undefined, now: ScheduleTime): ScheduleTime => {
  const isValid =
    stored !== undefined && (stored <= now.at || !isFrequent(schedule, now.at, stored - now.at - tolerance))
  return { at: isValid ? stored : next(schedule, now.at), jumps: now.jumps }
}

/**
 * The time after a run for `due` that began at `begun`. Several missed times are made up for by one run. The maximum
 * prevents a second run for the same time when a timer was early.
 */
export const following = (schedule: Cron.Cron, due: ScheduleTime, begun: ScheduleTime): ScheduleTime => {
  const unmoved = begun.at - (begun.jumps - due.jumps)
  return { at: next(schedule, Math.max(unmoved, due.at)), jumps: due.jumps }
}
