/** One finished exchange. `milliseconds` is the time from the request head to the end of the response. */
export interface Exchange {
  /** Method and URL are empty when the request was not valid HTTP. */
  readonly method: string
  readonly url: string
  readonly status: number
  readonly milliseconds: number
  /** IP address of the client, which a trusted proxy may name. */
  readonly remote: string
  readonly requestId: string
  /** Trace id of a problem. */
  readonly traceId: string | undefined
  /** The client disconnected before the response was complete; `began` is false if it had not even started. */
  readonly aborted: boolean
  readonly began: boolean
}

const flushAfter = 100
const flushAt = 64 * 1024

/** Buffers lines and writes them together: one write per request would cost more than the request. */
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

let second = 0
let prefix = ""

/** The time in ISO 8601. The part up to the second is cached. */
const now = (): string => {
  const millis = Date.now()
  const rest = millis % 1000
  if (millis - rest !== second) {
    second = millis - rest
    prefix = new Date(second).toISOString().slice(0, 20)
  }
  return `${prefix}${String(rest).padStart(3, "0")}Z`
}

/** The member with the tenant in a path; empty when the segment is not a valid tenant name. */
const tenantMember = (path: string): string => {
  const tenant = /^\/v1\/(?!platform\/|flower\/)([A-Za-z0-9][A-Za-z0-9._-]{0,62})\//.exec(path)?.[1]
  return tenant === undefined ? "" : `,"tenant":"${tenant}"`
}

/** The members of a log line that hold the path and its tenant. */
export const pathMembers = (path: string): string => `"path":${JSON.stringify(path)}${tenantMember(path)}`

/** One exchange as a JSON line. The query is omitted because it may contain confidential data. */
export const accessLine = (
  { method, status, milliseconds, remote, requestId, traceId, aborted }: Omit<Exchange, "url">,
  members: string
): string =>
  `{"time":"${now()}","level":"info","method":${JSON.stringify(method)},${members},"status":${status},` +
  `"ms":${milliseconds.toFixed(1)},"remote":"${remote}","requestId":"${requestId}"` +
  (traceId === undefined ? "" : `,"traceId":"${traceId}"`) +
  (aborted ? `,"aborted":true}\n` : "}\n")
