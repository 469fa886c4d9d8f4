import { ParentWatch } from "../../src/run/ParentWatch.ts"

// A process that prints its order, and then only waits for its gateway.
console.log(await new ParentWatch().order)
setInterval(() => {}, 1000)
