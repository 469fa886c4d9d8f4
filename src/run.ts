import { serve } from "./layers/engines/child/Run.ts"

// Entry of the child process that runs one flowline. The rest loads after the watchdog is up: it must hear of a gateway
// that dies meanwhile.
await serve(async () => {
  const [{ pipeline }, BlobsAt] = await Promise.all([
    import("./services/nodes/Pipeline.ts"),
    import("./layers/blobs/BlobsAt.ts")
  ])
  return {
    // The stream runtime is there at once, the others when they are needed.
    runtime: async (runtime) => {
      if (runtime === "pybatch") return (await import("./layers/engines/pybatch/Pybatch.ts")).pybatch
      if (runtime === "analytics") return (await import("./layers/engines/analytics/Analytics.ts")).analytics
      return (flowline, makeContext) => pipeline(flowline, makeContext)
    },
    blobs: (store) => BlobsAt.runLayer(store)
  }
})
