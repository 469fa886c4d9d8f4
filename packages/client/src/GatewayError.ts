/** The failure of a call: the problem that the gateway answered, or the reason why there is none. */
export class GatewayError extends Error {
  override readonly name = "GatewayError"
  /** The HTTP status; undefined when there was no answer. */
  readonly status: number | undefined
  /** The type of the problem, such as `/problems/not-found`. */
  readonly type: string | undefined
  readonly title: string | undefined
  readonly detail: string | undefined
  /** All members of the problem. */
  readonly problem: Readonly<Record<string, unknown>>

  constructor(cause: unknown) {
    const { _tag, ...problem } = Object(cause) as Record<string, unknown>
    const known = typeof problem["type"] === "string"
    const { status, type, title, detail } = (known ? problem : {}) as Record<string, never>
    super(known ? (detail ?? title) : cause instanceof Error ? cause.message : String(cause), { cause })
    const answer = (cause as { readonly response?: { readonly status: number } } | null)?.response
    this.status = status ?? answer?.status
    this.type = type
    this.title = title
    this.detail = detail
    this.problem = known ? problem : {}
  }
}
