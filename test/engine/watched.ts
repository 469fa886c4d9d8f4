import { Parent } from "../../src/run/Run.ts"

// A process that prints its order, and then only waits for its gateway.
console.log(await new Parent().order)
setInterval(() => {}, 1000)
