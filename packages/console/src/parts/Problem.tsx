import { GatewayError } from "@flow-gateway/client/light"
import { isBarred, isOfProxy } from "../app/failure.ts"
import { isLost } from "../app/gateway.ts"
import { useRole } from "../app/session.ts"
import { common, login } from "../texts/en.ts"
import { Button } from "./Button.tsx"
import css from "./pages.module.css"
import look from "./parts.module.css"

interface Issue {
  readonly part?: string
  readonly pointer?: string
  readonly line?: number
  readonly column?: number
  readonly detail?: string
}

/** The explanation of a failed call, in one or more sentences. */
export const messageOf = (error: unknown): string => {
  if (isBarred(error)) return common.barred
  if (isLost(error)) return common.away
  if (isOfProxy(error)) return common.ofProxy(error.status)
  return error instanceof Error ? error.message : String(error)
}

/** The individual faults of a problem, with their positions. */
export const issuesOf = (error: unknown): ReadonlyArray<Issue> => {
  const issues = error instanceof GatewayError ? error.problem["issues"] : undefined
  return Array.isArray(issues) ? issues.filter((issue) => typeof issue === "object" && issue !== null) : []
}

const placeOf = ({ part, pointer, line, column }: Issue): string =>
  [part, pointer === "" ? undefined : pointer, line === undefined ? undefined : `${line}:${column ?? 1}`]
    .filter((one) => one !== undefined)
    .join(" ")

const OwnRole = () => <p>{login.roleHere(useRole())}</p>

/** Why a call failed, with a button that repeats it. */
export const Problem = ({ error, again }: { readonly error: unknown; readonly again?: () => void }) => {
  if (error === undefined) return null
  const issues = issuesOf(error)
  const id = error instanceof GatewayError ? error.problem["requestId"] : undefined
  return (
    <div role="alert" className={css.problem}>
      <p>{messageOf(error)}</p>
      {error instanceof GatewayError && error.type === "/problems/forbidden" ? <OwnRole /> : null}
      {issues.length === 0 ? null : (
        <ul>
          {issues.slice(0, 50).map((issue, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the list of a problem does not change.
            <li key={at}>
              <code>{placeOf(issue)}</code> {issue.detail}
            </li>
          ))}
        </ul>
      )}
      {typeof id === "string" ? (
        <p className={css.dim}>
          {common.requestId} <code>{id}</code>
        </p>
      ) : null}
      {again === undefined ? null : (
        <Button className={look.button} onPress={again}>
          {common.again}
        </Button>
      )}
    </div>
  )
}
