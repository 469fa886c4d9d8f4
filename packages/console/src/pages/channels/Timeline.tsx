import { useId } from "react"
import look from "../../parts/parts.module.css"
import { Time } from "../../parts/Time.tsx"
import { channels as t } from "../../texts/en.ts"
import { type Job, toneOf } from "./Channels.ts"
import css from "./channels.module.css"
import type { Sample } from "./Samples.ts"

const hour = 3_600_000

interface Stretch {
  readonly from: number
  readonly to: number
  readonly status: string
}

/** The states of the last hour: those that the page has seen, and the start of the present one. */
const stretchesOf = (
  { status, since }: Pick<Job, "status" | "since">,
  samples: ReadonlyArray<Sample>,
  now: number
): ReadonlyArray<Stretch> => {
  const begin = now - hour
  const found: Array<Stretch> = []
  const present = Math.max(begin, since === null ? now : Date.parse(since))
  for (const [index, sample] of samples.entries()) {
    const to = Math.min(samples[index + 1]?.at ?? now, present)
    const from = Math.max(sample.at, begin)
    if (to <= from) continue
    const last = found.at(-1)
    if (last?.status === sample.status && last.to === from) found[found.length - 1] = { ...last, to }
    else found.push({ from, to, status: sample.status })
  }
  return present < now ? [...found, { from: present, to: now, status }] : found
}

/** The last hour of a job as a strip, and as a list for screen readers. */
export const Timeline = ({ job, samples }: { readonly job: Job; readonly samples: ReadonlyArray<Sample> }) => {
  const id = useId()
  const now = samples.at(-1)?.at ?? Date.now()
  const begin = now - hour
  const place = (at: number) => `${(Math.max(0, Math.min(hour, at - begin)) / hour) * 100}%`
  const stretches = stretchesOf(job, samples, now)
  const failures = (job.failures ?? []).filter(({ timestamp }) => Date.parse(timestamp) >= begin)
  return (
    <section aria-labelledby={id} className={css.part}>
      <h3 id={id}>{t.timeline}</h3>
      <div className={css.strip} aria-hidden="true">
        {stretches.map(({ from, to, status }) => (
          <span
            key={from}
            title={t.states[status as keyof typeof t.states]}
            className={`${css.stretch} ${css[toneOf(status)]}`}
            style={{ left: place(from), width: `${((to - from) / hour) * 100}%` }}
          />
        ))}
        {failures.map(({ timestamp, error }, at) => (
          <span
            // biome-ignore lint/suspicious/noArrayIndexKey: two may be of the same moment.
            key={at}
            title={error}
            className={css.failure}
            style={{ left: place(Date.parse(timestamp)) }}
          />
        ))}
      </div>
      <div className={css.stripEnds}>
        <Time at={begin} />
        <span>{t.timelineHelp(failures.length)}</span>
        <Time at={now} />
      </div>
      <ol className={look.hidden}>
        {stretches.map(({ from, status }) => (
          <li key={from}>
            <Time at={from} /> {t.states[status as keyof typeof t.states]}
          </li>
        ))}
      </ol>
    </section>
  )
}
