import { Effect, Schema } from "effect"

/**
 * The embedded PostgreSQL server could not be set up or started. `message` is one line for the operator, including what
 * to do.
 */
export class EmbeddedPostgresError extends Schema.TaggedError<EmbeddedPostgresError>()("EmbeddedPostgresError", {
  message: Schema.String,
  /** The complete output of PostgreSQL. */
  printed: Schema.optional(Schema.String),
  cause: Schema.optional(Schema.Defect())
}) {}

const linesOf = (text: string) => text.split("\n").map((line) => line.trim())

const lastLine = (text: string): string => linesOf(text).findLast((line) => line !== "") ?? ""

/**
 * The line of the output that explains the failure of PostgreSQL or initdb: the last fatal error with its detail, else
 * the last error, else the last line.
 */
export const essence = (printed: string): string => {
  const lines = linesOf(printed)
  const at = lines.findLastIndex((line) => fatal.test(line))
  const detail = /\bDETAIL: +(.*)$/.exec(lines[at + 1] ?? "")?.[1]
  const said = lines[at]?.replace(fatal, "") ?? lines.findLast((line) => error.test(line))?.replace(error, "")
  return said === undefined ? lastLine(printed) : detail === undefined ? said : `${said}: ${detail}`
}

const fatal = /^.*?\b(?:FATAL|PANIC): +/
const error = /^\S+: error: /

const reason = (cause: unknown): string => lastLine(cause instanceof Error ? cause.message : String(cause))

/** Runs file and process operations; maps whatever they throw to an error with the message `what: reason. remedy`. */
export const attempt = <A>(
  what: string,
  run: () => A | Promise<A>,
  remedy?: string
): Effect.Effect<A, EmbeddedPostgresError> =>
  Effect.tryPromise({
    try: async () => run(),
    catch: (cause) => {
      if (cause instanceof EmbeddedPostgresError) return cause
      const message = `${what}: ${reason(cause)}`
      return new EmbeddedPostgresError({ message: remedy === undefined ? message : `${message}. ${remedy}`, cause })
    }
  })
