import { TestRunner } from "effect/cluster"

/** A cluster of one, whose messages are in memory. */
export const layer = TestRunner.layer
