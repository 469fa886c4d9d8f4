import { availableParallelism } from "node:os"
import { Database } from "../../drivers/duckdb/Database.ts"
import type { RunContext } from "../../nodes/Node.ts"
import type { Flowline } from "../../protocol/Flowline.ts"
import type { NodeCounters, Order } from "../../protocol/RunProtocol.ts"
import type { Job } from "../Run.ts"
import { explained } from "./ErrorText.ts"
import { refined } from "./Faults.ts"
import { Files } from "./Files.ts"
import { Graph } from "./Plan.ts"
import { Scratch } from "./Scratch.ts"
import { Steps } from "./Steps.ts"
import type { Watch } from "./Work.ts"

/** The part of an {@link Order} that the runtime uses. */
export type AnalyticsOrder = Pick<Order, "scratch" | "fileBytes" | "memoryMib">

/**
 * The share of the run's memory that DuckDB may use for queries. The rest is for DuckDB's uncounted memory and this
 * process.
 */
const queryShare = 0.85

const defaultThreads = Math.max(1, Math.min(2, availableParallelism()))

/**
 * The analytics runtime: a flowline becomes tables, views and COPY statements of a DuckDB in this process. Records
 * become JavaScript objects only for nodes that have no SQL form.
 */
export const analytics = (
  flowline: Flowline,
  makeContext: (component: string) => RunContext,
  order: AnalyticsOrder,
  watch?: Watch
): Job => {
  const graph = new Graph(flowline, makeContext)
  const counters = (): ReadonlyArray<NodeCounters> => graph.plannedNodes.map((planned) => planned.counters())

  const run = async (): Promise<void> => {
    const signal = AbortSignal.any([...new Set(graph.plannedNodes.map(({ context }) => context.signal))])
    signal.throwIfAborted()
    const memoryMib = order.memoryMib
    const spillBytes = order.fileBytes
    const scratch = new Scratch(order.scratch, order.fileBytes)
    await scratch.make()
    const database = await Database.open({
      memoryMib: Math.max(32, Math.floor(memoryMib * queryShare)),
      threads: Math.min(flowline.settings.threads ?? defaultThreads, availableParallelism()),
      spillBytes,
      scratch: scratch.folder
    })
    const files = new Files(scratch)
    const stop = () => database.interrupt()
    signal.addEventListener("abort", stop, { once: true })
    const steps = new Steps({ graph, database, scratch, files, signal, watch })
    try {
      for (const planned of graph.plannedNodes) await steps.prepare(planned)
      await database.close(files.direct, scratch.folder)
      for (const planned of graph.ordered) {
        signal.throwIfAborted()
        await steps.run(planned)
      }
      await steps.deliver()
    } catch (error) {
      if (signal.aborted) throw signal.reason
      const scene = { ...steps.scene(), files: files.opened, memoryMib, spillBytes }
      const own = files.opened.filter(({ component }) => component === scene.component)
      throw explained(await refined(error, own.length > 0 ? own : files.opened, database), scene)
    } finally {
      signal.removeEventListener("abort", stop)
      await files.close()
      database.dispose()
    }
  }
  return { run, counters }
}
