import { Predicate } from "effect"
import { pointerOf } from "../../../languages/document/Pointer.ts"
import { parseJson } from "../../../languages/json/JsonValue.ts"
import { componentOf } from "../../../protocol/Flowline.ts"
import type { FlowlineTest } from "../../../protocol/FlowlineTests.ts"
import type { TrialReport, TriedNode } from "../../../protocol/Trial.ts"
import type { OpenFlowline } from "../Flowlines.ts"
import type { TestResult, TriedComponent, TriedRecords, TryAnswer } from "../TryAnswer.ts"
import { differencesOf } from "./TestDifferences.ts"
import { unreferenced } from "./Unreferenced.ts"

/** The error of a run that ended without giving a reason. */
const silent = "the run said nothing of its end"

/** A masked text may not be JSON any more. */
const recordOf = (text: string): Readonly<Record<string, unknown>> | string => {
  try {
    const record = parseJson(text)
    return Predicate.isObject(record) ? record : text
  } catch {
    return text
  }
}

const shown = ({
  count,
  records
}: {
  readonly count: number
  readonly records: ReadonlyArray<string>
}): TriedRecords => ({
  count,
  records: records.map(recordOf),
  cut: count > records.length
})

const nodeOf = (
  { flowline }: OpenFlowline,
  { component, micros, dropped, lost, unmatched = [], more, recordsIn, recordsOut }: TriedNode,
  report: TrialReport
): TriedComponent => {
  const index = flowline.dag.findIndex((node) => componentOf(node) === component)
  const rejected = report.streams.find((stream) => stream.component === component && stream.stream === "errors")
  return {
    component,
    type: flowline.dag[index]?.type ?? "",
    recordsIn,
    recordsOut,
    ...(micros === undefined ? {} : { micros }),
    ...(rejected === undefined || rejected.count === 0 ? {} : { rejected: shown(rejected) }),
    ...(lost === undefined ? {} : { lost }),
    ...(dropped === undefined || dropped.count === 0 ? {} : { dropped: shown(dropped) }),
    ...(unmatched.length === 0
      ? {}
      : {
          unmatched: unmatched.map(({ path, text }) => ({
            pointer: pointerOf(["dag", index, "settings", ...path]),
            text
          }))
        }),
    ...(more === true ? { more } : {})
  }
}

/** The answer to a try, without its tests and without lines and columns. `report` is missing when the process has died. */
export const answerOf = (
  opened: OpenFlowline,
  report: TrialReport | undefined,
  error: string | undefined
): Omit<TryAnswer, "tests"> => {
  const { flowline, warnings } = opened
  if (report === undefined) {
    const failed = { outcome: "failed" as const, error: error ?? silent, millis: 0 }
    return { ...failed, nodes: [], edges: [], unreferenced: [], printed: [], warnings }
  }
  const published = new Set(
    flowline.dag.flatMap((node) => node.publish.map(({ stream }) => JSON.stringify([componentOf(node), stream])))
  )
  const receivers = (component: string, stream: string) =>
    flowline.dag
      .filter((node) => node.subscribe.some((one) => one.component === component && one.stream === stream))
      .map(componentOf)
  const edges = report.streams
    .filter(({ component, stream }) => published.has(JSON.stringify([component, stream])))
    .map(({ component, stream, ...records }) => ({
      from: component,
      stream,
      to: receivers(component, stream),
      ...shown(records)
    }))
  return {
    outcome: report.error === undefined ? "succeeded" : "failed",
    ...(report.error === undefined ? {} : { error: report.error }),
    ...(report.component === undefined ? {} : { component: report.component }),
    millis: Math.round(report.millis),
    nodes: report.nodes.map((node) => nodeOf(opened, node, report)),
    edges,
    unreferenced: unreferenced(flowline, edges),
    printed: report.printed,
    warnings
  }
}

/** What a test found, without lines and columns, by the report of its case; it is missing when the run did not come so far. */
export const testResult = (
  { flowline }: OpenFlowline,
  test: FlowlineTest,
  index: number,
  report: TrialReport | undefined,
  error: string | undefined
): TestResult => {
  if (report === undefined) return { name: test.name, passed: false, error: error ?? silent, differences: [] }
  const where = report.component === undefined ? "" : `${report.component}: `
  const own = report.error?.startsWith(where) === true ? report.error : where + report.error
  const differences = differencesOf(flowline, test, index, report).map(({ path, ...difference }) => ({
    pointer: pointerOf(path),
    ...difference
  }))
  return {
    name: test.name,
    passed: report.error === undefined && differences.length === 0,
    ...(report.error === undefined ? {} : { error: own }),
    differences
  }
}
