import { countsOf, type Detail, jobName } from "./Channels.ts"

/** What a job was at a moment. The gateway tells what is now; the page keeps what it was told. */
export interface Sample {
  readonly at: number
  readonly status: string
  readonly lag: number | undefined
  readonly read: number | undefined
  readonly written: number | undefined
}

/** Two hours of a sample every two seconds. */
const most = 3600
const mostChannels = 20

/** By tenant and channel, then by job. They last as long as the page, also when another channel is looked at. */
const known = new Map<string, Map<string, Array<Sample>>>()

const none: ReadonlyArray<Sample> = []

export const samplesOf = (tenant: string, channel: string, job: string): ReadonlyArray<Sample> =>
  known.get(`${tenant}/${channel}`)?.get(job) ?? none

/** Keeps what the jobs of a channel are now. */
export const keep = (tenant: string, channel: string, { jobs }: Detail, at: number): void => {
  const key = `${tenant}/${channel}`
  const of = known.get(key) ?? new Map<string, Array<Sample>>()
  known.delete(key)
  known.set(key, of)
  const [oldest] = known.keys()
  if (known.size > mostChannels && oldest !== undefined) known.delete(oldest)
  for (const job of jobs) {
    const { lag, read, written } = countsOf(job)
    // A new list each time, so that what shows the former one sees the change.
    of.set(jobName(job), [...(of.get(jobName(job)) ?? []), { at, status: job.status, lag, read, written }].slice(-most))
  }
}

/** Counters are told every other second, as the page asks: a rate is that of three questions together. */
const together = 3

/** Records in a second until each sample; a run that begins anew begins at 0. */
export const ratesOf = (samples: ReadonlyArray<Sample>, count: "read" | "written"): ReadonlyArray<number | null> =>
  samples.map((sample, index) => {
    const before = samples[Math.max(0, index - together)]
    const [now, then] = [sample[count], before?.[count]]
    if (before === undefined || now === undefined || then === undefined || sample.at <= before.at) return null
    return (now < then ? now : now - then) / ((sample.at - before.at) / 1000)
  })
