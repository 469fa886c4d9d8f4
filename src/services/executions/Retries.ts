import type { Flowline } from "../flowlines/Flowline.ts"

const units: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000 }

const millisOf = (pause: string): number => {
  const [, count = "", unit = ""] = /^(\d+)(ms|s|m)$/.exec(pause) ?? []
  return Number(count) * (units[unit] ?? 0)
}

/** Milliseconds to wait after a failed attempt, counted from 1; nothing when it was the last. */
export const pauseAfter = (settings: Flowline["settings"], attempt: number): number | undefined => {
  const { retry } = settings
  if (retry === undefined || attempt >= retry.attempts) return undefined
  return Math.min(millisOf(retry.initial) * 2 ** (attempt - 1), millisOf(retry.max))
}
