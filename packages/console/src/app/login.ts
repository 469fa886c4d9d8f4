import { GatewayError, type LightGateway } from "@flow-gateway/client/light"
import { useSyncExternalStore } from "react"
import { gatewayBase } from "./base.ts"
import { failureOf, isBarred } from "./failure.ts"
import { stored } from "./stored.ts"

/** A way to log in that the gateway has. */
export type Scheme =
  | { readonly kind: "password" | "key" | "token" }
  | { readonly kind: "oidc"; readonly issuer: string; readonly name: string }

/** The roles that a user may have for a tenant; each includes those before it. */
export const roles: ReadonlyArray<Role> = ["viewer", "operator", "developer", "admin"]
export type Role = Parameters<LightGateway["keys"]["create"]>[0]["payload"]["role"]

/**
 * Who uses the console, according to the gateway. Nothing in it is secret: the secret is the cookie, which scripts
 * cannot read.
 */
export interface Session {
  /** Whether the gateway asks for a login. */
  readonly authentication: boolean
  readonly schemes: ReadonlyArray<Scheme>
  /** Null if nobody is logged in. */
  readonly principal: string | null
  readonly scheme: Scheme["kind"] | null
  readonly endsAt: string | null
  readonly idleUntil: string | null
  /** The role for every tenant, including future ones. */
  readonly everyTenant: Role | null
  readonly tenants: ReadonlyArray<{ readonly name: string; readonly role: Role }>
}

/** Shows the gateway that one of its own pages sends the request: forms of other sites cannot send this header. */
export const ofPage = { "x-requested-with": "console" }

// Stored, so that other tabs notice logins and logouts at once, and a reloaded page knows its user before it asks.
const known = stored<Session | undefined>("session", undefined, (value) =>
  Array.isArray(Object(value).tenants) ? (value as Session) : undefined
)

/** Who uses the console, as far as this browser knows; undefined before the first answer. */
export const useSession = (): Session | undefined => useSyncExternalStore(known.subscribe, known.get)

/** {@link useSession} outside of React: its value at this moment. */
export const sessionNow = known.get

/** Whether the user has to log in first. */
export const isNeeded = (session: Session | undefined): boolean =>
  session?.authentication === true && session.principal === null

let last = isNeeded(known.get()) ? undefined : known.get()
known.subscribe(() => {
  const now = known.get()
  if (!isNeeded(now)) last = now
})

/**
 * The session whose tenants and roles the page shows. While a login is above the page, these are those from before, so
 * that open forms stay.
 */
export const useRights = (): Session | undefined => {
  const session = useSession()
  return isNeeded(session) ? (last ?? session) : session
}

/** Whether the gateway refused the credential, or requires one. */
export const isRefused = (error: unknown): boolean =>
  error instanceof GatewayError && error.status === 401 && !isBarred(error)

/** Asks who is logged in (`GET`), logs in with a credential (`POST`), or logs out (`DELETE`). */
export const askSession = async (method = "GET", credential?: object): Promise<void> => {
  const response = await fetch(`${gatewayBase}console/session`, {
    method,
    headers: { ...ofPage, "content-type": "application/json" },
    ...(credential && { body: JSON.stringify(credential) })
  }).catch((cause: unknown) => Promise.reject(new GatewayError(cause)))
  const answer: unknown = await response.json().catch(() => undefined)
  // A proxy may answer with a page of its own, whatever its status.
  if (!response.ok || answer === undefined) throw failureOf(response, answer)
  known.set(answer as Session)
}

/** What {@link askSession} answers without a login; a gateway that is away says nothing of it. */
export const refreshed: Promise<void> = askSession().catch(() => {})

let isAnswered = false
void refreshed.then(() => {
  isAnswered = true
})

/** Whether the gateway has been asked who is logged in, whatever it answered. */
export const wasAsked = (): boolean => isAnswered

/** Waits for a login after a call was refused for lack of one. False if no login is possible. */
export const loggedIn = async (): Promise<boolean> => {
  await askSession().catch(() => {})
  if (!known.get()?.authentication) return false
  while (isNeeded(known.get())) {
    await new Promise<void>((resolve) => {
      const stop = known.subscribe(() => {
        stop()
        resolve()
      })
    })
  }
  return true
}
