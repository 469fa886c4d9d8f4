import { afterAll, afterEach } from "vitest"
import type { Answer } from "./described.ts"

// Compares every answer of a gateway with the OpenAPI document, whether a test receives it by `fetch`, which the typed
// client uses too, or by a request over a socket. A test that receives an undeclared answer fails, whatever else it
// expects.

/** The origins of the gateways that tests have started. */
const gateways = new Set<string>()

/** Compares the answers of a gateway with the OpenAPI document. */
export const holdToDescription = (url: string): void => void gateways.add(new URL(url).origin)

const wrapped = Symbol.for("test/answers")
/** Larger bodies are not checked: they have the same schema as smaller ones. */
const largest = 1024 * 1024
/** Bodies up to this size are read even when the test does not. */
const small = 64 * 1024

const faults: Array<string> = []
const pending = new Set<Promise<void>>()

const report = (answer: Answer, found: ReadonlyArray<string>, body = ""): void => {
  for (const fault of found) {
    faults.push(`${answer.method} ${answer.path} was answered with ${answer.status}: ${fault}\n${body.slice(0, 400)}`)
  }
}

const later = (work: Promise<void>): void => {
  pending.add(work)
  void work.finally(() => pending.delete(work))
}

/** Compares an answer that arrived over a socket with the OpenAPI document, if a gateway's interface sent it. */
export const holdRaw = async (port: number, answer: Answer, body: Uint8Array): Promise<void> => {
  if (!gateways.has(`http://127.0.0.1:${port}`) || !answer.path.startsWith("/v1/") || answer.status === 0) return
  const { bodyFaults, headFaults } = await import("./described.ts")
  report(answer, headFaults(answer))
  if (answer.method === "HEAD" || body.length === 0 || body.length > largest) return
  if (answer.headers.has("content-encoding")) return
  const text = new TextDecoder().decode(body)
  report(answer, bodyFaults(answer, text), text)
}

const hold = async (answer: Answer, response: Response): Promise<void> => {
  const { bodyFaults, headFaults } = await import("./described.ts")
  report(answer, headFaults(answer))
  const check = (body: string): void => {
    if (body !== "") report(answer, bodyFaults(answer, body), body)
  }
  const length = response.headers.get("content-length")
  if (response.body === null || answer.method === "HEAD") return
  if (length !== null && Number(length) <= small) {
    // A truncated answer has no body to check.
    later(
      response
        .clone()
        .text()
        .then(check, () => {})
    )
    return
  }
  // Others are checked when the test reads them.
  const bytes = response.arrayBuffer.bind(response)
  const arrayBuffer = async () => {
    const read = await bytes()
    if (read.byteLength <= largest) check(new TextDecoder().decode(read))
    return read
  }
  const text = async () => new TextDecoder().decode(await arrayBuffer())
  const json = async () => JSON.parse(await text()) as unknown
  Object.assign(response, { arrayBuffer, text, json })
}

const watch = () => {
  const original = globalThis.fetch
  const watched = async (...[input, init]: Parameters<typeof fetch>): Promise<Response> => {
    const response = await original(input, init)
    const url = new URL(input instanceof Request ? input.url : input)
    if (gateways.has(url.origin) && url.pathname.startsWith("/v1/")) {
      const method = (init?.method ?? (input instanceof Request ? input.method : "GET")).toUpperCase()
      const { status, headers } = response
      await hold({ method, path: url.pathname + url.search, status, headers }, response)
    }
    return response
  }
  globalThis.fetch = Object.assign(watched, { [wrapped]: true })
}

/** Fails if answers since the last call were undeclared. */
export const expectDeclared = async (): Promise<void> => {
  await Promise.all(pending)
  const found = faults.splice(0)
  if (found.length > 0) throw new Error(`Answers that the OpenAPI document does not declare:\n\n${found.join("\n\n")}`)
}

/** Watches the answers of this worker, and runs the check after each test of the file. */
export const holdAnswers = (): void => {
  if (!(wrapped in globalThis.fetch)) watch()
  afterEach(expectDeclared)
  afterAll(expectDeclared)
}
