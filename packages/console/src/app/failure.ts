import { GatewayError } from "@flow-gateway/client/light"

/** The error for an answer with a status of 400 or more and this body: the gateway's problem, or just the status. */
export const failureOf = (response: { readonly status: number }, answer: unknown): GatewayError => {
  const isProblem = typeof (Object(answer) as { readonly type?: unknown }).type === "string"
  return new GatewayError(isProblem ? answer : { response, toString: () => `HTTP ${response.status}` })
}
