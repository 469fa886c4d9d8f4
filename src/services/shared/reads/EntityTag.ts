import { type HttpServerRequest, HttpServerResponse } from "effect/http"

const entityTag = /(W\/)?"([\x21\x23-\x7e\x80-\xff]*)"/g

/** Whether the list contains the tag. Weak tags match only in a `weak` comparison (RFC 9110, section 8.8.3.2). */
export const names = (list: string, etag: string, weak: boolean): boolean =>
  list.trim() === "*" || [...list.matchAll(entityTag)].some((tag) => tag[2] === etag && (weak || tag[1] === undefined))

/** The strong tags of a list such as `If-Match`, without their quotes; undefined for `*`, which stands for any. */
export const strongTags = (list: string): ReadonlyArray<string> | undefined =>
  list.trim() === "*" ? undefined : [...list.matchAll(entityTag)].flatMap(([, weak, tag = ""]) => (weak ? [] : [tag]))

/** Only the client may cache an answer, and must revalidate it each time, because access may be revoked. */
export const cacheControl = "private, no-cache"

/**
 * The answer to a read with its strong tag, given without quotes, or 304 when the client has named it. The tag is to
 * change with everything that the answer says.
 */
export const tagged = (
  { headers: asked }: Pick<HttpServerRequest.HttpServerRequest, "headers">,
  etag: string,
  answer: () => HttpServerResponse.HttpServerResponse
): HttpServerResponse.HttpServerResponse => {
  const headers = { etag: `"${etag}"`, "cache-control": cacheControl }
  return asked["if-none-match"] !== undefined && names(asked["if-none-match"], etag, true)
    ? HttpServerResponse.empty({ status: 304, headers })
    : HttpServerResponse.setHeaders(answer(), headers)
}
