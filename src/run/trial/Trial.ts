import { join } from "node:path"
import { explain } from "../../drivers/Failure.ts"
import { packagePath } from "../../drivers/Package.ts"
import { catalogue } from "../../nodes/Catalogue.ts"
import type { RunContext } from "../../nodes/Node.ts"
import type { Flowline } from "../../protocol/Flowline.ts"
import type { Order } from "../../protocol/RunProtocol.ts"
import type { TrialCase, TrialReport } from "../../protocol/Trial.ts"
import type { Job, MakeJob } from "../Run.ts"
import { pipeline } from "../stream/Pipeline.ts"
import { TrialRecorder } from "../TrialRecorder.ts"
import { trialTypes } from "./TrialNodes.ts"

type MakeContext = (component: string) => RunContext

/** A trial replaces all outputs, so nothing should open a file to write. */
const refused = () => {
  throw new Error("a try writes nothing")
}

/** A context that only reads. */
const reading =
  (makeContext: MakeContext, recorder: TrialRecorder, signal: AbortSignal): MakeContext =>
  (component) => {
    const context = makeContext(component)
    return {
      ...context,
      savePositions: () => {},
      position: { load: () => undefined },
      carried: undefined,
      file: refused,
      archiveEntry: refused,
      print: (lines) => recorder.printed(component, lines),
      signal: AbortSignal.any([context.signal, signal])
    }
  }

/**
 * The job of a case. With Python nodes it also has the counters of their process, which alone knows what passed between
 * them.
 */
const jobOf = async (
  flowline: Flowline,
  context: MakeContext,
  order: Order,
  trial: TrialCase,
  recorder: TrialRecorder
): Promise<Job> => {
  const typeOf = trialTypes(trial, recorder)
  if (flowline.runtime === "analytics") {
    return (await import("../analytics/Analytics.ts")).analytics(flowline, context, order, { trial, recorder })
  }
  if (flowline.runtime === "pybatch") {
    const took = (component: string, millis: number) => recorder.took(component, millis)
    return (await import("../pybatch/Pybatch.ts")).pybatch(flowline, context, order, { typeOf, took })
  }
  return pipeline(flowline, context, (type, node) => {
    const found = catalogue.get(type)
    return found && typeOf(found, node)
  })
}

/** Adds the counters of the Python process to the report. */
const counted = (report: ReturnType<TrialRecorder["report"]>, job: Job): typeof report => {
  const counters = new Map(job.counters().map((counters) => [counters.component, counters]))
  const nodes = report.nodes.map((node) => {
    const { recordsIn, recordsOut } = counters.get(node.component) ?? node
    return { ...node, recordsIn, recordsOut }
  })
  return { ...report, nodes }
}

/** Runs one case. The report is also that of a run that failed. */
const reportOf = async (
  flowline: Flowline,
  makeContext: MakeContext,
  order: Order,
  trial: TrialCase,
  signal: AbortSignal
): Promise<TrialReport> => {
  const recorder = new TrialRecorder(flowline, trial)
  const began = performance.now()
  let job: Job | undefined
  let failure: Partial<Pick<TrialReport, "error" | "component">> = {}
  try {
    job = await jobOf(flowline, reading(makeContext, recorder, signal), order, trial, recorder)
    // A node that does not look at the signal must not hold the report up.
    const late = new Promise<never>((_, reject) => {
      signal.addEventListener("abort", () => reject(signal.reason), { once: true })
    })
    await Promise.race([job.run(), late])
  } catch (error) {
    const { conf, data, unfinished, scratch } = order
    failure = explain(error, [unfinished, scratch, conf, data, packagePath("")])
  }
  const report = recorder.report()
  const whole = flowline.runtime === "pybatch" && job !== undefined ? counted(report, job) : report
  return { ...whole, millis: performance.now() - began, ...failure }
}

/** Runs the cases of a trial one after the other, with samples for the inputs and without the outputs. */
export const trial: MakeJob = (flowline, makeContext, order, send) => {
  const { cases, millis } = order.spec.trial ?? { cases: [], millis: 0 }
  const run = async () => {
    const abort = new AbortController()
    const reason = new Error(`The try was stopped at its time limit of ${millis / 1000} seconds`)
    const timer = setTimeout(() => abort.abort(reason), millis)
    try {
      for (const [index, trial] of cases.entries()) {
        abort.signal.throwIfAborted()
        const own = { ...order, scratch: join(order.scratch, `case-${index}`) }
        await send({ _tag: "Tried", report: await reportOf(flowline, makeContext, own, trial, abort.signal) })
      }
    } finally {
      clearTimeout(timer)
    }
  }
  return { run, counters: () => [] }
}
