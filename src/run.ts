import { serve } from "./run/Run.ts"

// Entry of the child process that runs one flowline. Other modules load after the parent watch has started, because the
// gateway may die meanwhile. A waiting child has loaded only what most runs need.
await serve(async () => (await import("./run/Modules.ts")).parts)
