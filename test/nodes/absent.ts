import type { RunContext } from "../../src/nodes/Node.ts"

const nothing = () => Promise.reject(new Error("not here"))

async function* none(): AsyncGenerator<never> {
  await nothing()
}

/** The surroundings that a test does without. */
export const absent: Pick<
  RunContext,
  "filesIn" | "open" | "parquet" | "tail" | "position" | "savePositions" | "network"
> = {
  filesIn: () => {
    throw new Error("not here")
  },
  open: nothing,
  parquet: none,
  tail: none,
  position: { load: () => undefined },
  savePositions: () => {},
  network: { tcp: nothing, udp: nothing, http: nothing, post: nothing, get: nothing }
}
