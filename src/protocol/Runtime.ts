/** What can run a flowline. It stands apart from the flowline, which clients need not load. */
export const runtimes = ["stream", "analytics", "pybatch"] as const
export type Runtime = (typeof runtimes)[number]
