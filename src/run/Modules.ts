import { Effect, Layer } from "effect"
import { catalogue } from "../nodes/Catalogue.ts"
import type { Parts } from "./Run.ts"
import { pipeline } from "./stream/Pipeline.ts"

const blobs = Effect.promise(() => import("../drivers/blobs/BlobsAt.ts"))

/**
 * The modules of a run, loaded after the watch on the parent has started. Modules that few runs need are loaded on
 * first use.
 */
export const parts: Parts = {
  runtime: async (runtime) => {
    if (runtime === "pybatch") return (await import("./pybatch/Pybatch.ts")).pybatch
    if (runtime === "analytics") return (await import("./analytics/Analytics.ts")).analytics
    return async (flowline, makeContext, order) => {
      const isParallel = (flowline.settings.parallelism ?? 1) > 1
      if (!isParallel && flowline.dag.some(({ type }) => catalogue.get(type)?.rowEncoding !== undefined)) {
        const { extraction } = await import("./stream/EncodedRows.ts")
        return extraction(flowline, makeContext)
      }
      if (!isParallel) return pipeline(flowline, makeContext)
      const { parallel } = await import("./stream/parallel/Parallel.ts")
      return parallel(flowline, makeContext, order)
    }
  },
  blobs: (store) => Layer.unwrap(Effect.map(blobs, ({ runLayer }) => runLayer(store)))
}
