import { Effect } from "effect"
import type { Firing } from "../../src/services/schedules/Schedule.ts"
import { flowlineForm, raw, TestGateway } from "../support/gateway.ts"
import { until } from "../support/process.ts"
import { generator } from "../support/runs.ts"

export const tenant = "mytenant"

/** Saves a flowline; by default one that prints a record and ends. */
export const saved = (text = generator(1, 1)) =>
  Effect.flatMap(TestGateway, ({ client }) =>
    Effect.map(client.flowlines.save({ params: { tenant }, query: {}, payload: flowlineForm(text) }), ({ id }) => id)
  )

/** A request about schedules, and its answer. */
export const call = (method: string, path: string, body?: unknown, headers: Readonly<Record<string, string>> = {}) =>
  Effect.gen(function* () {
    const response = yield* raw(`/v1/${tenant}/${path}`, {
      method,
      headers: { ...(body === undefined ? {} : { "content-type": "application/json" }), ...headers },
      ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) })
    })
    const text = yield* Effect.promise(() => response.text())
    // biome-ignore lint/suspicious/noExplicitAny: answers of many kinds
    return { status: response.status, body: (text === "" ? undefined : JSON.parse(text)) as any }
  })

/** Makes a schedule. */
export const put = (name: string, body: unknown) => call("PUT", `schedules/${name}`, body)

export const firings = (name: string) =>
  Effect.map(call("GET", `schedules/${name}/firings`), ({ body }) => body as ReadonlyArray<Firing>)

/** Waits until the firings of a schedule, oldest first, are as they should be. */
export const untilFirings = (name: string, holds: (firings: ReadonlyArray<Firing>) => boolean) =>
  until(
    Effect.map(firings(name), (all) => all.toReversed()),
    holds
  )

/** A flowline that runs until it is cancelled. */
export const endless = generator(undefined, 5)

/** What an execution has printed, by line. */
export const printed = (execution: string) =>
  Effect.map(call("GET", `flowline/executions/${execution}/output`), ({ body }) =>
    (body.lines as ReadonlyArray<{ readonly text: string }>).map(({ text }) => JSON.parse(text))
  )

/** A flowline that prints the records of its trigger. */
export const triggered = `
runtime: stream
dag:
  - { type: trigger_input, publish: [ { stream: out } ] }
  - { type: show, subscribe: [ { component: trigger_input, stream: out } ] }
`

/** A flowline that prints the lines of the file that it is fired for, in this root. */
export const readingTrigger = (root?: string) => `
runtime: stream
dag:
  - type: file_input
    settings: { ${root === undefined ? "" : `root: ${root}, `}path: "\${trigger:file}", format: lines }
    publish: [ { stream: out } ]
  - { type: show, subscribe: [ { component: file_input, stream: out } ] }
`

/** The files of the firings, oldest first. */
export const filesOf = (name: string) => Effect.map(firings(name), (all) => all.map(({ file }) => file).toReversed())

/** Whether there are so many firings, and all are over. */
export const allEnded = (count: number) => (all: ReadonlyArray<{ readonly endedAt: string | null }>) =>
  all.length >= count && all.every(({ endedAt }) => endedAt !== null)
