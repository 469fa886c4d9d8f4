/** The limits of a tenant that a run keeps itself. */
export const runLimits = [
  "archives",
  "archiveBytes",
  "dataFiles",
  "dataBytes",
  "documents",
  "documentBytes",
  "extractionRows"
] as const
export type RunLimit = (typeof runLimits)[number]

/** The value of a limit, and what was in use when the run began. */
interface Allowance {
  readonly value: number
  readonly used: number
}

/** The limits that hold for a run. Absent members are not limited. */
export type Allowances = Readonly<Partial<Record<RunLimit, Allowance>>>

/** Why work of a tenant is refused, for the user. `used` is what would be in use. */
export const overLimit = (tenant: string, limit: RunLimit, value: number, used: number): string => {
  const cure =
    limit === "extractionRows" ? "narrow the filters" : "delete what is no longer needed, or ask for a higher limit"
  return `the limit ${limit} of tenant:${tenant} is ${value}, and ${used} would be used: ${cure}`
}
