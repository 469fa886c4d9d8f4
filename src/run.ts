import { serve } from "./layers/engines/child/Run.ts"

// Entry of the child process that runs one flowline. The rest loads after the watchdog is up: it must hear of a gateway
// that dies meanwhile.
await serve(async () => {
  const [{ pipeline }, Disk, { Layer }] = await Promise.all([
    import("./services/nodes/Pipeline.ts"),
    import("./layers/blobs/Disk.ts"),
    import("effect")
  ])
  return {
    runtime: () => pipeline,
    blobs: (store) => Disk.layer.pipe(Layer.provide(Disk.DiskConfig.layer(store.root, "5 seconds", true)))
  }
})
