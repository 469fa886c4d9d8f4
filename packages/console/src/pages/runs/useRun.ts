import { useEffect, useState } from "react"
import { useAnswer } from "../../app/answer.ts"
import { gateway } from "../../app/gateway.ts"
import { hasEnded } from "./models.ts"
import { type Sample, withSample } from "./Rates.ts"

/** Polling interval of a run in progress, in milliseconds. */
const every = 1000

/** A run, updated live, with the counters of the last seconds. */
export const useRun = (tenant: string, flowlineId: string, executionId: string) => {
  const answer = useAnswer(
    tenant === ""
      ? undefined
      : (signal) => gateway.executions.detail({ params: { tenant, flowlineId, executionId } }, { signal }),
    [tenant, flowlineId, executionId],
    (last) => (last !== undefined && hasEnded(last.state) ? undefined : every)
  )
  const { value } = answer
  const [samples, setSamples] = useState<ReadonlyArray<Sample>>([])
  useEffect(() => {
    if (value === undefined) return
    if (hasEnded(value.state)) setSamples([])
    else setSamples((before) => withSample(before, { at: performance.now(), nodes: value.nodes }))
  }, [value])
  return { run: value, samples, error: answer.error, again: answer.again }
}

/** The definition of a run's flowline, as of the start of the run. */
export const useDefinition = (tenant: string, flowlineId: string, version: number | undefined) => {
  const { value, error, again } = useAnswer(
    version === undefined || tenant === ""
      ? undefined
      : (signal) => gateway.flowlines.get({ params: { tenant, id: flowlineId }, query: { version } }, { signal }),
    [tenant, flowlineId, version]
  )
  const definition: unknown = value === undefined ? undefined : JSON.parse(value.source.dag)
  return { definition, schema: value?.parameters, error, again }
}
