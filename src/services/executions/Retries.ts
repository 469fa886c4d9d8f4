import { millisOf } from "../../languages/DurationText.ts"
import type { Flowline } from "../../protocol/Flowline.ts"

/** Milliseconds to wait after a failed attempt, counted from 1; nothing when it was the last. */
export const pauseAfter = (settings: Flowline["settings"], attempt: number): number | undefined => {
  const { retry } = settings
  if (retry === undefined || attempt >= retry.attempts) return undefined
  return Math.min(millisOf(retry.initial) * 2 ** (attempt - 1), millisOf(retry.max))
}
