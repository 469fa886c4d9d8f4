/** The used part of an answer's headers. */
interface Get {
  readonly get: (name: string) => string | null | undefined
}

/**
 * Whether a proxy has answered instead of the gateway, such as one that wants a login: with a page. The gateway's own
 * pages are files, which have a name in `Content-Disposition`.
 */
export const isForeign = ({ get }: Get): boolean =>
  /^\s*(?:text\/html|application\/xhtml\+xml)\b/i.test(get("content-type") ?? "") && !get("content-disposition")

/** What the error says. */
export const foreignAnswer = "A page in HTML came instead of the gateway's answer, probably the login of a proxy"
