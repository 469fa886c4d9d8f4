/**
 * Whether an answer is a page for people, which the gateway only sends where it is asked for: a proxy in front of it has
 * answered, such as one that wants a login.
 *
 * @param type the answer's media type
 * @param accept what the request accepts
 */
export const isForeign = (type: string | null | undefined, accept: string | null | undefined): boolean =>
  /^\s*(?:text\/html|application\/xhtml\+xml)\b/i.test(type ?? "") && !/\bx?html\b/i.test(accept ?? "")

/** What the error says. */
export const foreignAnswer = "A page in HTML came instead of the gateway's answer, probably the login of a proxy"
