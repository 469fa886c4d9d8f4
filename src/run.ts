import { serve } from "./run/Run.ts"

// Node's answer to SIGUSR1 is an open debugger. Service managers send signals to runs, too.
for (const signal of ["SIGUSR1", "SIGUSR2"]) process.on(signal, () => {})

// Entry of the child process that runs one flowline. Other modules load after the parent watch has started, because the
// gateway may die meanwhile. A waiting child has loaded only what most runs need.
await serve(async () => (await import("./run/Modules.ts")).modules)
