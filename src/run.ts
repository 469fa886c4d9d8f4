import { serve } from "./layers/engines/child/Run.ts"

// Entry of the child process that runs one flowline. The rest loads after the watchdog is up: it must hear of a gateway
// that dies meanwhile. A child that waits for its order holds what most runs need, and no more.
await serve(async () => {
  const [{ pipeline }, { Effect, Layer }] = await Promise.all([import("./run/stream/Pipeline.ts"), import("effect")])
  const blobs = Effect.promise(() => import("./layers/blobs/BlobsAt.ts"))
  return {
    runtime: async (runtime) => {
      if (runtime === "pybatch") return (await import("./layers/engines/pybatch/Pybatch.ts")).pybatch
      if (runtime === "analytics") return (await import("./layers/engines/analytics/Analytics.ts")).analytics
      return async (flowline, makeContext, order) => {
        const isParallel = (flowline.settings.parallelism ?? 1) > 1
        if (!isParallel && flowline.dag.some(({ type }) => type === "extraction_output")) {
          const { extraction } = await import("./layers/engines/child/Extraction.ts")
          return extraction(flowline, makeContext)
        }
        if (!isParallel) return pipeline(flowline, makeContext)
        const { parallel } = await import("./layers/engines/child/parallel/Parallel.ts")
        return parallel(flowline, makeContext, order)
      }
    },
    blobs: (place) => Layer.unwrap(Effect.map(blobs, ({ runLayer }) => runLayer(place)))
  }
})
