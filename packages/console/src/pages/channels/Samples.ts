import { countsOf, type Detail, jobName } from "./Channels.ts"

/** The state of a job at one time. The gateway reports the present only; the page keeps the history. */
export interface Sample {
  readonly at: number
  readonly status: string
  readonly lag: number | undefined
  readonly read: number | undefined
  readonly written: number | undefined
}

/** Two hours, with a sample every two seconds. */
const most = 3600
const mostChannels = 20

/** By tenant and channel, then by job. Kept while the page is open, for the channels that were shown last. */
const known = new Map<string, Map<string, Array<Sample>>>()

const none: ReadonlyArray<Sample> = []

export const samplesOf = (tenant: string, channel: string, job: string): ReadonlyArray<Sample> =>
  known.get(`${tenant}/${channel}`)?.get(job) ?? none

/** Adds the present state of the jobs of a channel. */
export const keep = (tenant: string, channel: string, { jobs }: Detail, at: number): void => {
  const key = `${tenant}/${channel}`
  const of = known.get(key) ?? new Map<string, Array<Sample>>()
  known.delete(key)
  known.set(key, of)
  const [oldest] = known.keys()
  if (known.size > mostChannels && oldest !== undefined) known.delete(oldest)
  for (const job of jobs) {
    const { lag, read, written } = countsOf(job)
    // A new list each time, so that components that show the old one notice the change.
    of.set(jobName(job), [...(of.get(jobName(job)) ?? []), { at, status: job.status, lag, read, written }].slice(-most))
  }
}

/** The page asks for counters every other second; a rate covers three answers. */
const together = 3

/** Records per second until each sample. A new run starts at 0. */
export const ratesOf = (samples: ReadonlyArray<Sample>, count: "read" | "written"): ReadonlyArray<number | null> =>
  samples.map((sample, index) => {
    const before = samples[Math.max(0, index - together)]
    const [now, then] = [sample[count], before?.[count]]
    if (before === undefined || now === undefined || then === undefined || sample.at <= before.at) return null
    return (now < then ? now : now - then) / ((sample.at - before.at) / 1000)
  })
