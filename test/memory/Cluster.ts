import * as TestRunner from "effect/cluster/TestRunner"

/** A cluster of one, whose messages are in memory. */
export const layer = TestRunner.layer
