import type { NodeContext } from "../src/nodes/Node.ts"

const none = () => {
  throw new Error("not in this benchmark")
}

/** The context of a node that runs alone, with the parts that a benchmark uses; all others fail when they are called. */
export const nodeContext = (used: Partial<NodeContext>): NodeContext => ({
  component: "node",
  emit: () => {},
  filesIn: none,
  glob: none,
  read: none,
  open: none,
  parquet: none,
  tail: none,
  position: { load: () => undefined, save: () => {} },
  savePositions: () => {},
  network: { tcp: none, udp: none, http: none, post: none, get: none },
  file: none,
  archiveEntry: none,
  print: none,
  reject: () => {},
  signal: new AbortController().signal,
  ...used
})
