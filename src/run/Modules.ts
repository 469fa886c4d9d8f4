import { Effect, Layer } from "effect"
import { catalogue } from "../nodes/Catalogue.ts"
import { flowlineWithSecrets } from "../nodes/flowline/SecretSettings.ts"
import { type Readiness, readyFor, secretsIn } from "../protocol/RunProtocol.ts"
import type { Runtime } from "../protocol/Runtime.ts"
import type { MakeJob, Modules } from "./Run.ts"
import { pipeline } from "./stream/Pipeline.ts"

const blobsAt = () => import("../drivers/blobs/BlobsAt.ts")
const blobs = Effect.promise(blobsAt)

/** Loads what a run with these needs would load first. */
const preparations: Readonly<Record<Readiness, () => Promise<unknown>>> = {
  analytics: async () => {
    await import("./analytics/Analytics.ts")
    const { Database } = await import("../drivers/duckdb/Database.ts")
    // A third of what an analytics flowline takes to start.
    await Database.prepare()
  },
  search: () =>
    Promise.all([
      import("./SearchDocuments.ts"),
      import("../drivers/search/PostgresSearch.ts"),
      import("./stream/EncodedRows.ts"),
      import("./archive/Zip.ts"),
      blobsAt()
    ])
}

const stream: MakeJob = async (flowline, makeContext, order, send) => {
  const isParallel = (flowline.settings.parallelism ?? 1) > 1
  if (isParallel) return (await import("./stream/parallel/Parallel.ts")).parallel(flowline, makeContext, order, send)
  const encodes = flowline.dag.some(({ type }) => catalogue.get(type)?.rowEncoding !== undefined)
  if (encodes) return (await import("./stream/EncodedRows.ts")).extraction(flowline, makeContext)
  return pipeline(flowline, makeContext)
}

const jobs: Readonly<Record<Runtime | "trial", () => MakeJob | Promise<MakeJob>>> = {
  stream: () => stream,
  analytics: async () => {
    const { analytics } = await import("./analytics/Analytics.ts")
    return (flowline, makeContext, order) => analytics(flowline, makeContext, order)
  },
  pybatch: async () => {
    const { pybatch } = await import("./pybatch/Pybatch.ts")
    return (flowline, makeContext, order) => pybatch(flowline, makeContext, order)
  },
  trial: async () => (await import("./trial/Trial.ts")).trial
}

/**
 * The modules of a run, loaded after the watch on the parent has started. Modules that few runs need are loaded on
 * first use.
 */
export const modules: Modules = {
  runtime: async (runtime, isTrial) => {
    const makeJob = await jobs[isTrial ? "trial" : runtime]()
    return (flowline, makeContext, order, send) =>
      makeJob(flowlineWithSecrets(flowline, secretsIn(order.spec)), makeContext, order, send)
  },
  prepare: async () => {
    for (const part of ["analytics", "search"] as const) {
      if (process.argv.includes(readyFor(part))) await preparations[part]()
    }
  },
  blobs: (store) => Layer.unwrap(Effect.map(blobs, ({ runLayer }) => runLayer(store)))
}
