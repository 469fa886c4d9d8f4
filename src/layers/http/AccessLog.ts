/** One finished exchange. `milliseconds` runs from the request's head to the end of the answer. */
export interface Exchange {
  /** Both empty when the request was not HTTP enough to have them. */
  readonly method: string
  readonly url: string
  readonly status: number
  readonly milliseconds: number
  readonly remote: string
  /** Of a problem. */
  readonly traceId: string | undefined
  /** The client went away before the answer was complete, or before it `began`. */
  readonly aborted: boolean
  readonly began: boolean
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
export const accessLine = ({ method, url, status, milliseconds, remote, traceId, aborted }: Exchange): string =>
  `{"time":"${new Date().toISOString()}","level":"info","method":${JSON.stringify(method)}` +
  `,"path":${JSON.stringify(pathOf(url))},"status":${status},"ms":${milliseconds.toFixed(1)},"remote":"${remote}"` +
  (traceId === undefined ? "" : `,"traceId":"${traceId}"`) +
  (aborted ? `,"aborted":true}\n` : "}\n")
