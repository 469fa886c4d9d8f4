import { Brand } from "effect"

/** The id of a flowline in its tenant. The flowlines and their executions share it. */
export type FlowlineId = Brand.Branded<string, "FlowlineId">
export const FlowlineId = Brand.nominal<FlowlineId>()
