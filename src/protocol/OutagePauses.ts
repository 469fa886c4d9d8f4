import { Schedule } from "effect"
import { outageRetry } from "./Liveness.ts"

/** Pauses between retries during an outage. They double up to the longest one. */
export const outagePauses = Schedule.min([
  Schedule.exponential(outageRetry.first),
  Schedule.spaced(outageRetry.longest)
])
