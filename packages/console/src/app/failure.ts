import { GatewayError } from "@flow-gateway/client/light"

/** What an answer with a status of 400 or more, and this body, is to the page: the gateway's problem, or its status. */
export const failureOf = (response: { readonly status: number }, answer: unknown): GatewayError => {
  const isProblem = typeof (Object(answer) as { readonly type?: unknown }).type === "string"
  return new GatewayError(isProblem ? answer : { response, toString: () => `HTTP ${response.status}` })
}
