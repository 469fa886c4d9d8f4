import { watch } from "../../src/run/Run.ts"

// A process that prints its order, and then only waits for its gateway.
console.log(await watch())
setInterval(() => {}, 1000)
