import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"

/** Bytes that this process still needs, outside of V8's heap, too. */
export const held = (): number => {
  setFlagsFromString("--expose-gc")
  const gc: NodeJS.GCFunction = runInNewContext("gc")
  gc({ type: "major", execution: "sync" })
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}
