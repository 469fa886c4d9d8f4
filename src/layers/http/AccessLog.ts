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

let second = 0
let prefix = ""

/** The time in ISO 8601; what is the same within a second is made once. */
const now = (): string => {
  const millis = Date.now()
  const rest = millis % 1000
  if (millis - rest !== second) {
    second = millis - rest
    prefix = new Date(second).toISOString().slice(0, 20)
  }
  return `${prefix}${String(rest).padStart(3, "0")}Z`
}

/** The tenant that a path is below. Names that no tenant can have are left to the path. */
const tenantOf = (path: string): string => {
  const tenant = /^\/v1\/(?!platform\/|flower\/)([A-Za-z0-9][A-Za-z0-9._-]{0,62})\//.exec(path)?.[1]
  return tenant === undefined ? "" : `,"tenant":"${tenant}"`
}

/** A line of JSON for an exchange. The query is left out, as it may hold what does not belong in a log. */
export const accessLine = ({ method, url, status, milliseconds, remote, traceId, aborted }: Exchange): string => {
  const path = pathOf(url)
  return (
    `{"time":"${now()}","level":"info","method":${JSON.stringify(method)},"path":${JSON.stringify(path)}` +
    `${tenantOf(path)},"status":${status},"ms":${milliseconds.toFixed(1)},"remote":"${remote}"` +
    (traceId === undefined ? "" : `,"traceId":"${traceId}"`) +
    (aborted ? `,"aborted":true}\n` : "}\n")
  )
}
