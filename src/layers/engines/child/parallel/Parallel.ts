import { Result } from "effect"
import { pipeline } from "../../../../services/nodes/Pipeline.ts"
import { merged } from "../../../../services/nodes/parallel/Merge.ts"
import { part } from "../../../../services/nodes/parallel/Part.ts"
import { split } from "../../../../services/nodes/parallel/Split.ts"
import type { MakeJob } from "../Run.ts"
import { Threads } from "./Threads.ts"

/** A stream flowline with `settings.parallelism`. One that cannot be split runs as any other: saving it was refused. */
export const parallel: MakeJob = (flowline, makeContext, order) => {
  const parts = split(flowline)
  if (Result.isFailure(parts)) return pipeline(flowline, makeContext)
  const local = () => part(flowline, parts.success, makeContext)
  const threads = new Threads(order, flowline.settings.parallelism ?? 1, local)
  const { run, counters } = merged(flowline, parts.success, makeContext, threads)
  return { run: () => run().finally(() => threads.close()), counters }
}
