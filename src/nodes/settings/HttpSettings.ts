import { Predicate, Schema } from "effect"
import { membersOf, secretOr } from "./SettingTexts.ts"

// What nodes that send requests have in common.

/** An address without credentials, which begins with its scheme. URLs may have blanks and control characters around. */
const addressPattern = /^[Hh][Tt]{2}[Pp][Ss]?:\/\/(?![^/?#]*@)[^\s\\]+$/u

/** Whether records can be sent to this URL. */
const isAddress = (text: string): boolean => {
  if (!addressPattern.test(text)) return false
  const url = URL.canParse(text) ? new URL(text) : undefined
  return (url?.protocol === "http:" || url?.protocol === "https:") && url.username === "" && url.password === ""
}

/** Header names and values by RFC 9110, 5.1 and 5.5, without obsolete forms. */
const headerName = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/u
const headerValue = /^[\t\x20-\x7e\x80-\xff]*$/u
const ofConnection: ReadonlySet<string> = new Set([
  "connection",
  "content-length",
  "expect",
  "host",
  "keep-alive",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade"
])

const headerFault = (name: string, value: unknown): string | undefined => {
  if (!headerName.test(name)) return "This is not a valid header name"
  if (ofConnection.has(name.toLowerCase())) return "This header is controlled by the connection and cannot be set"
  return headerValue.test(String(value)) ? undefined : "A header cannot have this value"
}

const Headers = membersOf(Schema.String, headerFault, {
  propertyNames: { type: "string", pattern: headerName.source, not: { enum: [...ofConnection] } }
})

/** The URL of requests. */
export const urlSetting = secretOr(
  isAddress,
  addressPattern,
  "an http or https address without credentials, blanks and backslashes"
).annotate({
  description: "URL for the requests, `http` or `https`. May contain secrets."
})

export const headersSetting = Schema.optionalKey(
  Headers.annotate({ description: "Additional request headers. Their values may contain secrets." })
)

/** The parameter `charset` of a `Content-Type`; without one, text on the Web is UTF-8. */
export const charsetOf = (contentType: string | undefined): string => {
  const [, quoted, plain] = /;\s*charset\s*=\s*(?:"([^"]*)"|([^\s;"]+))/i.exec(contentType ?? "") ?? []
  return quoted ?? plain ?? "utf-8"
}

/**
 * Why there was no answer, by the code of the failure: a refused connection, an unknown name, a certificate. The message
 * of the failure is not used, because it may contain data that must not be shown.
 */
export const silenceOf = (error: unknown): string => {
  const code = Predicate.hasProperty(error, "code") ? String(error.code) : ""
  return `no connection or no timely answer${/^(?!ABORT_ERR$)[A-Z][A-Z0-9_]+$/.test(code) ? ` (${code})` : ""}`
}

/** Whether the same request may succeed later. */
export const isPassing = (status: number): boolean =>
  status === 408 || status === 425 || status === 429 || status >= 500
