import type { IncomingMessage, ServerResponse } from "node:http"
import { traceIds } from "./ProblemBody.ts"

/** One finished exchange. `milliseconds` runs from the request's head to the end of the answer. */
export interface Exchange {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly milliseconds: number
  /** The client went away before the answer was complete. */
  readonly aborted: boolean
}

const flushAfter = 100
const flushAt = 64 * 1024

/** Collects lines and writes them in one go: a write per request would cost more than the request. */
export const bufferedWriter = (write: (text: string) => void) => {
  let pending = ""
  let timer: NodeJS.Timeout | undefined
  const flush = () => {
    clearTimeout(timer)
    timer = undefined
    const text = pending
    pending = ""
    if (text !== "") write(text)
  }
  return {
    add: (line: string) => {
      pending += line
      if (pending.length >= flushAt) flush()
      else timer ??= setTimeout(flush, flushAfter).unref()
    },
    flush
  }
}

const pathOf = (url: string): string => {
  const query = url.indexOf("?")
  return query === -1 ? url : url.slice(0, query)
}

/** A line of JSON for an exchange. The query is left out, as it may hold what does not belong in a log. */
export const accessLine = ({ request, response, milliseconds, aborted }: Exchange): string => {
  const trace = traceIds.get(request)
  return (
    `{"time":"${new Date().toISOString()}","level":"info","method":${JSON.stringify(request.method)}` +
    `,"path":${JSON.stringify(pathOf(request.url ?? ""))},"status":${response.statusCode}` +
    `,"ms":${milliseconds.toFixed(1)},"remote":"${request.socket.remoteAddress ?? ""}"` +
    (trace === undefined ? "" : `,"traceId":"${trace}"`) +
    (aborted ? `,"aborted":true}\n` : "}\n")
  )
}
