import { serve } from "./run/Run.ts"

// Entry of the child process that runs one flowline. The rest loads after the watchdog is up: it must hear of a gateway
// that dies meanwhile. A child that waits for its order holds what most runs need, and no more.
await serve(async () => (await import("./run/Modules.ts")).parts)
