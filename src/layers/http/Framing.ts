import type { IncomingMessage } from "node:http"

/** What is wrong with how a request says where its body ends: the status and detail of the answer. */
export interface FramingFault {
  readonly status: 400 | 501
  readonly detail: string
}

/**
 * Why the end of a request's body is not sure (RFC 9112, section 6.1). Node finds it wherever the last coding is
 * `chunked`, whichever came before, also in HTTP/1.0, which has no chunks: a proxy may find another one.
 */
export const framingFault = ({ headers, httpVersion }: IncomingMessage): FramingFault | undefined => {
  const coding = headers["transfer-encoding"]
  if (coding === undefined) return undefined
  if (httpVersion !== "1.1") return { status: 400, detail: `HTTP/${httpVersion} has no Transfer-Encoding` }
  if (coding.toLowerCase() === "chunked") return undefined
  return /(?:^|,)[ \t]*chunked$/i.test(coding)
    ? { status: 501, detail: "The only supported Transfer-Encoding is chunked" }
    : { status: 400, detail: "The Transfer-Encoding does not end with chunked" }
}
