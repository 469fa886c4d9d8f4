import { expect } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { TryAnswer } from "../../src/services/flowlines/TryAnswer.ts"
import { flowlineForm, raw } from "../support/gateway.ts"

export const tenant = "mytenant"

type Parts = Readonly<Record<string, string | Blob>>

/** The form of a try: a flowline file, if any, and the other parts. */
export const tryForm = (file: string | undefined, parts: Parts): FormData => {
  const form = file === undefined ? new FormData() : flowlineForm(file)
  for (const [name, value] of Object.entries(parts)) {
    if (typeof value === "string") form.set(name, value)
    else form.set(name, value, name)
  }
  return form
}

const decode = Schema.decodeUnknownSync(TryAnswer)

const answered = Effect.fnUntraced(function* (status: number, file: string | undefined, parts: Parts) {
  const response = yield* raw(`/v1/${tenant}/flowline/try`, { method: "POST", body: tryForm(file, parts) })
  const body: unknown = yield* Effect.promise(() => response.json())
  expect([response.status, body]).toEqual([status, body])
  return body
})

export const tryOut = (file: string | undefined, parts: Parts = {}) => Effect.map(answered(200, file, parts), decode)

/** The problem of a try that is refused. */
export const refused = (status: number, file: string | undefined, parts: Parts = {}) => answered(status, file, parts)

export const byName = ({ nodes }: TryAnswer) => Object.fromEntries(nodes.map((node) => [node.component, node]))

/** The records of the streams of a node. */
export const recordsOf = ({ edges }: TryAnswer, component: string) =>
  edges.filter(({ from }) => from === component).map(({ records }) => records)

/** Saves a flowline, and returns the status and the body of the answer. */
export const save = (file: string, query = "", name?: string) =>
  Effect.flatMap(
    raw(`/v1/${tenant}/flowline/save${query}`, { method: "POST", body: flowlineForm(file, name) }),
    (response) =>
      Effect.map(
        Effect.promise(() => response.json() as Promise<Record<string, unknown>>),
        (body) => ({ status: response.status, body })
      )
  )
