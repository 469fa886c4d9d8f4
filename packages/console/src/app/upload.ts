import { GatewayError } from "@flow-gateway/client/light"
import { gatewayBase } from "./base.ts"
import { failureOf, refuseForeign } from "./failure.ts"
import { answering } from "./gateway.ts"
import { ofPage } from "./login.ts"

/** An upload in progress. */
export interface Upload<A> {
  readonly done: Promise<A>
  /** Aborts it: `done` fails with an `AbortError`. */
  readonly cancel: () => void
}

const answerOf = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return text === "" ? undefined : text
  }
}

/** Adds the created version to the answer if only a header has it. */
const versioned = (answer: unknown, version: string | null): unknown =>
  version === null || (answer !== undefined && typeof answer !== "object")
    ? answer
    : { ...answer, version: Number(version) }

/**
 * Sends a form and reports how many of its bytes were sent, which `fetch` cannot. Like other calls, it waits for a
 * login if it needs one, and is then repeated.
 *
 * @param path below the gateway, with its query, without a leading slash
 * @param onSent called with the number of bytes sent and the size of the form
 * @param headers such as `Idempotency-Key`, with which a broken upload can be repeated
 */
export const upload = <A>(
  method: "POST" | "PUT",
  path: string,
  form: FormData,
  onSent: (sent: number, total: number) => void,
  headers: Readonly<Record<string, string>> = {}
): Upload<A> => {
  let request: XMLHttpRequest | undefined
  const send = () =>
    new Promise<A>((resolve, reject) => {
      const sending = new XMLHttpRequest()
      request = sending
      sending.upload.addEventListener("progress", ({ loaded, total }) => onSent(loaded, total))
      sending.addEventListener("error", () => reject(new GatewayError(new TypeError("Failed to fetch"))))
      sending.addEventListener("abort", () => reject(new DOMException("The upload was ended", "AbortError")))
      sending.addEventListener("load", () => {
        const answer = answerOf(sending.responseText)
        try {
          if (sending.status < 200 || sending.status >= 300) throw failureOf(sending, answer)
          refuseForeign(sending, (name) => sending.getResponseHeader(name))
          resolve(versioned(answer, sending.getResponseHeader("flow-version")) as A)
        } catch (error) {
          reject(error)
        }
      })
      sending.open(method, gatewayBase + path)
      for (const [name, value] of Object.entries({ ...ofPage, ...headers })) sending.setRequestHeader(name, value)
      sending.send(form)
    })
  return { done: answering(send), cancel: () => request?.abort() }
}
