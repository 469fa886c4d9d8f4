import type { IncomingMessage } from "node:http"

/** Why the length of a request's body is ambiguous: the status and detail of the answer. */
interface FramingFault {
  readonly status: 400 | 501
  readonly detail: string
}

const name = "transfer-encoding"

/** Reads the raw headers: most requests never need `headers`, which Node would build for each. */
const hasCoding = (raw: ReadonlyArray<string>): boolean => {
  for (let at = 0; at < raw.length; at += 2) {
    if (raw[at]!.length === name.length && raw[at]!.toLowerCase() === name) return true
  }
  return false
}

/**
 * Why the end of a request's body is ambiguous (RFC 9112, section 6.1); undefined when it is not. Node accepts any list
 * of codings whose last one is `chunked`, also in HTTP/1.0, which has no chunks. A proxy may see another end, and take
 * the rest for a further request.
 */
export const framingFault = (request: IncomingMessage): FramingFault | undefined => {
  if (!hasCoding(request.rawHeaders)) return undefined
  const { httpVersion } = request
  const coding = request.headers["transfer-encoding"] ?? ""
  if (httpVersion !== "1.1") return { status: 400, detail: `HTTP/${httpVersion} has no Transfer-Encoding` }
  if (coding.toLowerCase() === "chunked") return undefined
  return /(?:^|,)[ \t]*chunked$/i.test(coding)
    ? { status: 501, detail: "The only supported Transfer-Encoding is chunked" }
    : { status: 400, detail: "The Transfer-Encoding does not end with chunked" }
}
