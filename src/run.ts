import { serve } from "./run/Run.ts"

// Entry of the child process that runs one flowline. The rest loads after the watchdog is up: it must hear of a gateway
// that dies meanwhile. A child that waits for its order holds what most runs need, and no more.
await serve(async () => {
  const [{ pipeline }, { Effect, Layer }] = await Promise.all([import("./run/stream/Pipeline.ts"), import("effect")])
  const blobs = Effect.promise(() => import("./drivers/blobs/BlobsAt.ts"))
  return {
    runtime: async (runtime) => {
      if (runtime === "pybatch") return (await import("./run/pybatch/Pybatch.ts")).pybatch
      if (runtime === "analytics") return (await import("./run/analytics/Analytics.ts")).analytics
      return async (flowline, makeContext, order) => {
        const isParallel = (flowline.settings.parallelism ?? 1) > 1
        if (!isParallel && flowline.dag.some(({ type }) => type === "extraction_output")) {
          const { extraction } = await import("./run/stream/Extraction.ts")
          return extraction(flowline, makeContext)
        }
        if (!isParallel) return pipeline(flowline, makeContext)
        const { parallel } = await import("./run/stream/parallel/Parallel.ts")
        return parallel(flowline, makeContext, order)
      }
    },
    blobs: (place) => Layer.unwrap(Effect.map(blobs, ({ runLayer }) => runLayer(place)))
  }
})
