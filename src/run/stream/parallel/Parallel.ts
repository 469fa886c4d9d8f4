import { read } from "node:fs"
import { promisify } from "node:util"
import { Result } from "effect"
import { split } from "../../../nodes/flowline/Split.ts"
import type { MakeJob } from "../../Run.ts"
import { pipeline } from "../Pipeline.ts"
import { merged } from "./Merge.ts"
import { part } from "./Part.ts"
import { perPart } from "./PartMessages.ts"
import { Threads } from "./PartThreads.ts"
import { TextMemory } from "./TextMemory.ts"

const reading = promisify(read)

const readAt = async (file: number, into: Uint8Array, at: number): Promise<number> => {
  let filled = 0
  for (let read = -1; read !== 0 && filled < into.length; filled += read) {
    read = (await reading(file, into, filled, into.length - filled, at + filled)).bytesRead
  }
  return filled
}

/**
 * A stream flowline with `settings.parallelism`. Validation refuses flowlines that cannot be split; here they run on
 * one thread.
 */
export const parallel: MakeJob = (flowline, makeContext, order) => {
  const parts = split(flowline)
  if (Result.isFailure(parts)) return pipeline(flowline, makeContext)
  const texts = new TextMemory(perPart, (bytes) => new ArrayBuffer(bytes))
  const local = () => part(flowline, parts.success, makeContext, { readAt, texts })
  const threads = new Threads(order, flowline.settings.parallelism ?? 1, local)
  const { run, counters } = merged(flowline, parts.success, makeContext, threads)
  return { run: () => run().finally(() => threads.close()), counters }
}
