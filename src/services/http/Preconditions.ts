import { Effect } from "effect"
import type { HttpServerRequest } from "effect/http"
import { PreconditionFailed } from "../../errors/PreconditionFailed.ts"
import { names } from "../shared/reads/EntityTag.ts"

/** The state that the conditions of a request are compared with. */
export interface State {
  /** The value of the strong `ETag` without its quotes. */
  readonly etag: string
  readonly lastModified?: Date
}

type Headers = HttpServerRequest.HttpServerRequest["headers"]

// HTTP dates have a resolution of one second.
export const seconds = (date: Date): number => Math.floor(date.getTime() / 1000)

// The formats of RFC 9110, section 5.6.7. The conditions require that other texts are ignored.
const time = "\\d\\d:\\d\\d:\\d\\d"
const dateWithZone = new RegExp(`^[A-Z][a-z]+, \\d\\d([ -])[A-Z][a-z]{2}\\1(\\d{4}|\\d\\d) ${time} GMT$`)
const dateOfC = new RegExp(`^[A-Z][a-z]{2} [A-Z][a-z]{2} [ \\d]\\d ${time} \\d{4}$`)

/** An HTTP date in seconds. */
export const parseDate = (header = ""): number | undefined => {
  const text = header.trim()
  // Without its zone, JavaScript would take it for a local time.
  const parsed = dateWithZone.test(text)
    ? Date.parse(text)
    : dateOfC.test(text)
      ? Date.parse(`${text} GMT`)
      : Number.NaN
  return Number.isNaN(parsed) ? undefined : parsed / 1000
}

/** Whether the state is another one than `If-Match`, or `If-Unmodified-Since` without it, allows. */
export const isOther = (headers: Headers, { etag, lastModified }: State): boolean => {
  if (headers["if-match"] !== undefined) return !names(headers["if-match"], etag, false)
  const since = parseDate(headers["if-unmodified-since"])
  return since !== undefined && lastModified !== undefined && seconds(lastModified) > since
}

/** Whether a request depends on the state: without conditions nothing has to be read. */
export const isConditional = ({ headers }: HttpServerRequest.HttpServerRequest): boolean =>
  headers["if-match"] !== undefined ||
  headers["if-none-match"] !== undefined ||
  headers["if-unmodified-since"] !== undefined

const other = new PreconditionFailed({ detail: "What is there now is not what the condition names" })

/** Refuses a read of another state than `If-Match` names. */
export const readable = ({ headers }: HttpServerRequest.HttpServerRequest, state: State) =>
  isOther(headers, state) ? Effect.fail(other) : Effect.void

/** Refuses a change of a state that the conditions exclude (RFC 9110, section 13.2.2). */
export const changeable = ({ headers }: HttpServerRequest.HttpServerRequest, state: State) =>
  isOther(headers, state) ||
  (headers["if-none-match"] !== undefined && names(headers["if-none-match"], state.etag, true))
    ? Effect.fail(other)
    : Effect.void

/** Refuses to create an object if the request has `If-Match`, also with `*`: it wants to change an existing one. */
export const creatable = ({ headers }: HttpServerRequest.HttpServerRequest) =>
  headers["if-match"] === undefined ? Effect.void : Effect.fail(other)

/** The states of an object without an `ETag` that the conditions allow: no tag can name it. */
export const untaggedState = ({ headers }: HttpServerRequest.HttpServerRequest) => ({
  present: [undefined, "*"].includes(headers["if-match"]?.trim()) && headers["if-none-match"]?.trim() !== "*",
  absent: headers["if-match"] === undefined
})

/** Refuses to change or create an object without an `ETag` if `If-Match` names one: it cannot match. */
export const withoutTag = ({ headers }: HttpServerRequest.HttpServerRequest) => {
  const named = headers["if-match"]?.trim()
  return named === undefined || named === "*"
    ? Effect.void
    : Effect.fail(new PreconditionFailed({ detail: "This has no ETag that If-Match could name" }))
}
