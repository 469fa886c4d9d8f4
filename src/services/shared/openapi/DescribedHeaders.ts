/** What OpenAPI says of one header, and an example. */
interface Header {
  /** The name, where it is not the key: answers of several kinds may have the header in different ways. */
  readonly name?: string
  readonly description: string
  readonly schema: { readonly type: string; readonly [keyword: string]: unknown }
  readonly example: string | number
  /** Whether an answer that declares the header always has it. */
  readonly required?: boolean
}

const headers = <const Names extends Record<string, Header>>(all: Names): Readonly<Record<keyof Names, Header>> => all

const tag = String.raw`(?:W/)?"[\x21\x23-\x7e\x80-\xff]*"`

/** The request headers that endpoints understand. */
export const requestHeaders = headers({
  Accept: {
    description: "The media types that the client takes; it selects one of the declared ones",
    schema: { type: "string" },
    example: "application/json"
  },
  "Content-Digest": {
    description: "SHA-256 of the body (RFC 9530), which is checked; other algorithms are ignored",
    schema: { type: "string", maxLength: 1024 },
    example: "sha-256=:X48E9qOokqqrvdts8nOJRJN3OWDUoyWxBf7kbu9DBPE=:"
  },
  "Idempotency-Key": {
    description: "Makes a retry return the first answer for 24 hours",
    schema: { type: "string", pattern: "^[\\x21-\\x7e]{1,255}$" },
    example: "9f0c7b1e-7d55-4a4e-9b61-1c1a2f0b6f57"
  },
  "If-Match": {
    description: "Refuses the request (412) unless the current `ETag` is one of these; `*` for any",
    schema: { type: "string" },
    example: "*"
  },
  "If-Modified-Since": {
    description: "Answers 304 when nothing has changed since; ignored beside `If-None-Match`",
    schema: { type: "string" },
    example: "Thu, 01 Jan 1970 00:00:00 GMT"
  },
  "If-None-Match": {
    description: "In a read, answers 304 when the `ETag` is one of these; in a write, `*` refuses to replace (412)",
    schema: { type: "string" },
    example: '"none"'
  },
  "If-Range": {
    description: "Honours `Range` only if this `ETag` or date is still the current one",
    schema: { type: "string" },
    example: '"none"'
  },
  "If-Unmodified-Since": {
    description: "Refuses the request (412) when something has changed since; ignored beside `If-Match`",
    schema: { type: "string" },
    example: "Fri, 01 Jan 2100 00:00:00 GMT"
  },
  "Last-Event-ID": {
    description: "Resumes an event stream after the event with this id",
    schema: { type: "string" },
    example: "0"
  },
  Range: {
    description: "One range of bytes (RFC 9110); several, and malformed ones, are answered with the whole",
    schema: { type: "string" },
    example: "bytes=0-1023"
  },
  "Repr-Digest": {
    description: "Like `Content-Digest`",
    schema: { type: "string", maxLength: 1024 },
    example: "sha-256=:X48E9qOokqqrvdts8nOJRJN3OWDUoyWxBf7kbu9DBPE=:"
  },
  "X-Request-Id": {
    description:
      "Id of the request, which the answer and the log repeat; without it, or with another word, one is made",
    schema: { type: "string", pattern: "^[A-Za-z0-9._~-]{1,128}$" },
    example: "9f0c7b1e-7d55-4a4e-9b61-1c1a2f0b6f57"
  }
})

/** The response headers that endpoints send. */
export const responseHeaders = headers({
  "Accept-Ranges": {
    description: "`Range` is understood",
    schema: { type: "string", enum: ["bytes"] },
    example: "bytes",
    required: true
  },
  Allow: {
    description: "The methods of the path",
    schema: { type: "string" },
    example: "GET, HEAD",
    required: true
  },
  "Cache-Control": {
    description: "Whether and how the answer may be cached",
    schema: { type: "string" },
    example: "private, no-cache",
    required: true
  },
  "Content-Disposition": {
    description: "The file name (RFC 6266, RFC 8187)",
    schema: { type: "string", pattern: "^(?:inline|attachment); filename=" },
    example: 'attachment; filename="blocked.csv"',
    required: true
  },
  "Content-Range": {
    description: "The part that is sent, and the size of the whole",
    schema: { type: "string", pattern: String.raw`^bytes (?:\d+-\d+|\*)/\d+$` },
    example: "bytes 0-1023/4096",
    required: true
  },
  ETag: {
    description: "Version of what was sent; of files the SHA-256 in hex",
    schema: { type: "string", pattern: `^${tag}$` },
    example: '"e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"',
    required: true
  },
  ListETag: {
    name: "ETag",
    description: "Version of what was sent; absent when a list without `limit` is longer than 1 MiB",
    schema: { type: "string", pattern: `^${tag}$` },
    example: '"e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"'
  },
  "Flow-Version": {
    description: "The version that was made",
    schema: { type: "integer", minimum: 1 },
    example: 1,
    required: true
  },
  "Idempotency-Replayed": {
    description: "The answer is that of the first request with this key",
    schema: { type: "string", enum: ["true"] },
    example: "true"
  },
  "Last-Modified": {
    description: "Time of the last change",
    schema: { type: "string" },
    example: "Thu, 01 Jan 2026 00:00:00 GMT"
  },
  Link: {
    description: 'The URL of the next page, with `rel="next"`; absent on the last one and without `limit`',
    schema: { type: "string", pattern: '^<[^>]+>; rel="next"$' },
    example: '</v1/mytenant/archives?limit=100&cursor=WyJhcmNoaXZlcyIsIjEwMCJd>; rel="next"'
  },
  RateLimit: {
    description:
      "What is left of the rates of the tenant and of the principal, and the seconds until all of it is back " +
      "(draft-ietf-httpapi-ratelimit-headers)",
    schema: { type: "string", pattern: '^"(?:tenant|principal)";r=[0-9]+;t=[0-9]+' },
    example: '"tenant";r=19990;t=1, "principal";r=9990;t=1'
  },
  "RateLimit-Policy": {
    description: "The rates: so many requests in so many seconds",
    schema: { type: "string", pattern: '^"(?:tenant|principal)";q=[0-9]+;w=[0-9]+' },
    example: '"tenant";q=20000;w=10, "principal";q=10000;w=10'
  },
  LimitRetryAfter: {
    name: "Retry-After",
    description: "Seconds after which another try is worthwhile; absent where waiting alone makes no room",
    schema: { type: "integer", minimum: 1 },
    example: 5
  },
  "Retry-After": {
    description: "Seconds after which another try is worthwhile",
    schema: { type: "integer", minimum: 1 },
    example: 1,
    required: true
  },
  Vary: { description: "The request headers that selected the answer", schema: { type: "string" }, example: "Accept" },
  "WWW-Authenticate": {
    description: "The schemes that the gateway accepts (RFC 9110); `Basic` only when the access file has users",
    schema: { type: "string", pattern: '^(Basic|Bearer) realm="flow-gateway"' },
    example: 'Basic realm="flow-gateway", charset="UTF-8", Bearer realm="flow-gateway"',
    required: true
  },
  "X-Request-Id": {
    description: "Id of the request: the one that it came with, or one that the gateway made",
    schema: { type: "string", pattern: "^[A-Za-z0-9._~-]{1,128}$" },
    example: "Zk3v0q8cW1xT-1a",
    required: true
  },
  "X-Trace-Id": {
    description: "Id of this answer in logs and traces, the `traceId` of the problem",
    schema: { type: "string", pattern: "^[0-9a-f]{32}$" },
    example: "0af7651916cd43dd8448eb211c80319c"
  }
})

/** What pages of other origins can read without leave (WHATWG Fetch, CORS-safelisted response-header name). */
const safelisted: ReadonlySet<string> = new Set(["Cache-Control", "Last-Modified"])

/** The response headers that pages of other origins can read only when an answer says so. */
export const exposedHeaders: ReadonlyArray<string> = [
  ...new Set(Object.entries(responseHeaders).map(([key, { name = key }]) => name))
].filter((name) => !safelisted.has(name))

export type RequestHeader = keyof typeof requestHeaders
export type ResponseHeader = keyof typeof responseHeaders
