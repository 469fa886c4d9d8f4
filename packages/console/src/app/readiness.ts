import { GatewayError } from "@flow-gateway/client/light"
import { gatewayBase } from "./base.ts"

/** The answer of `/health/ready`: with status 200, or with 503 while a dependency does not answer. */
export interface Readiness {
  readonly isReady: boolean
  readonly detail: string | undefined
  /** `up` or `down`, by name. */
  readonly dependencies: Readonly<Record<string, string>>
  /** Counts of defects that an operator should look at, by name. */
  readonly defects: Readonly<Record<string, number>>
  /** How programs and runs are isolated: the parts of each. */
  readonly isolation: Readonly<Record<string, ReadonlyArray<string>>>
}

const recordOf = <A>(value: unknown, isMember: (one: unknown) => one is A): Readonly<Record<string, A>> =>
  Object.fromEntries(Object.entries(Object(value)).filter((entry): entry is [string, A] => isMember(entry[1])))

const isText = (value: unknown): value is string => typeof value === "string"
const isNumber = (value: unknown): value is number => typeof value === "number"
const isTexts = (value: unknown): value is ReadonlyArray<string> => Array.isArray(value) && value.every(isText)

/** Asks whether the gateway is ready. Undefined if a proxy hides that path. */
export const readiness = async (signal: AbortSignal): Promise<Readiness | undefined> => {
  const answer = await fetch(`${gatewayBase}health/ready`, { signal }).catch((cause: unknown) => {
    signal.throwIfAborted()
    throw new GatewayError(cause)
  })
  const body: unknown = await answer.json().catch(() => undefined)
  const { status, detail, dependencies, defects, isolation } = Object(body)
  if (dependencies === undefined) return undefined
  return {
    isReady: status === "ready",
    detail: isText(detail) ? detail : undefined,
    dependencies: recordOf(dependencies, isText),
    defects: recordOf(defects, isNumber),
    isolation: recordOf(isolation, isTexts)
  }
}
