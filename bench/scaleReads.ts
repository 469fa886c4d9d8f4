export const tenant = "mytenant"

export interface Sizes {
  readonly executions: number
  readonly flowlines: number
  readonly artifacts: number
  readonly documents: number
}

/** The time of the first execution. Each of the others follows the one before by a second. */
export const created = "2026-01-01T00:00:00Z"

/** The time of the execution with this number. */
const at = (number: number) => new Date(Date.parse(created) + number * 1000).toISOString()

/** The reads from both gateways. `last` is the number of the newest object of each kind. */
export const reads = ({
  executions,
  flowlines,
  artifacts
}: Sizes): ReadonlyArray<readonly [string, string, string?]> => {
  const middle = executions >> 1
  const flowline = `f${middle % flowlines}`
  const execution = `${flowline}-${middle}`
  const artifact = artifacts >> 1
  const name = `group=group.${Math.floor(artifact / 1000)}&artifact=artifact-${artifact}`
  return [
    ["page of flowlines", "flowline?limit=10"],
    ["flowline", `flowline/${flowline}`],
    ["page of executions", "flowline/executions?limit=10"],
    ["page of a flowline's executions", `flowline/executions/${flowline}?limit=10`],
    ["page of failed executions", "flowline/executions?limit=10&state=FAILED"],
    ["page of executions that did nothing", "flowline/executions?limit=10&outcome=nothing"],
    ["page of a minute's executions", `flowline/executions?limit=10&from=${at(middle)}&to=${at(middle + 60)}`],
    ["page of a flowline's failed executions", `flowline/executions/${flowline}?limit=10&state=FAILED`],
    ["execution", `flowline/${flowline}/executions/${execution}`],
    ["its events", `flowline/executions/${execution}/events`],
    ["its output", `flowline/executions/${execution}/output`],
    ["page of archives", "archives?limit=10"],
    ["page of artifacts", "resources/list?limit=10"],
    ["metadata of an artifact", `resources/metadata?${name}`],
    ["page of the registry", "registry?limit=10"],
    ["metadata of a registry file", `registry/metadata/files/${artifact}`],
    ["first 10 documents", "search", JSON.stringify({ index: `${tenant}-access`, limit: 10 })],
    [
      "10 documents of a minute",
      "search",
      JSON.stringify({
        index: `${tenant}-access`,
        limit: 10,
        query: { range: { "@timestamp": { gte: "2026-02-02T02:45:00Z", lt: "2026-02-02T02:46:00Z" } } }
      })
    ]
  ]
}
