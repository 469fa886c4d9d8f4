import { foreignAnswer, GatewayError, isForeign } from "@flow-gateway/client/light"

/** The error for an answer with a status of 400 or more and this body: the gateway's problem, or just the status. */
export const failureOf = (response: { readonly status: number }, answer: unknown): GatewayError => {
  const isProblem = typeof (Object(answer) as { readonly type?: unknown }).type === "string"
  return new GatewayError(isProblem ? answer : { response, toString: () => `HTTP ${response.status}` })
}

/** Whether the gateway could not answer now, but may in a moment: it or its database has too much to do, or is away. */
export const isPassing = (error: unknown): error is GatewayError =>
  error instanceof GatewayError && [429, 503, 504].includes(error.status ?? 0)

/** Fails if a proxy has answered with a page of its own. */
export const refuseForeign = (response: { readonly status: number }, get: (name: string) => string | null): void => {
  if (isForeign({ get })) throw new GatewayError({ response, toString: () => foreignAnswer })
}

/** Whether an error is an answer that is not the gateway's: all of its problems have a type. */
export const isOfProxy = (error: unknown): error is GatewayError & { readonly status: number } =>
  error instanceof GatewayError && error.status !== undefined && !error.type

/** Whether a proxy in front of the gateway wants a login: it answered with its page, or with 401. */
export const isBarred = (error: unknown): boolean => isOfProxy(error) && (error.status < 300 || error.status === 401)
