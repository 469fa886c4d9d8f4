import { Effect, Schema } from "effect"
import { messageOf } from "../../../languages/ErrorMessage.ts"

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
 * The line of the output that explains the failure of PostgreSQL or initdb: the first severe error with its detail,
 * which later ones follow from, else the error of the program, else one of a full disk, else the last line.
 */
export const essence = (printed: string): string => {
  const lines = linesOf(printed)
  const at = lines.findIndex((line) => severe.test(line))
  const detail = /\bDETAIL: +(.*)$/.exec(lines[at + 1] ?? "")?.[1]
  const said =
    lines[at]?.replace(severe, "") ??
    lines.findLast((line) => error.test(line))?.replace(error, "") ??
    lines.find((line) => fullDisk.test(line))
  return said === undefined ? lastLine(printed) : detail === undefined ? said : `${said}: ${detail}`
}

/** Whether the output of PostgreSQL says why it has failed. */
export const namesError = (printed: string): boolean => linesOf(printed).some((line) => severe.test(line))

/** Clients of a server that restarts are refused meanwhile, which explains nothing. */
const severe = /^.*?\b(?:ERROR|FATAL|PANIC): +(?! |the database system is )/
const error = /^\S+: error: /
const fullDisk = /No space left|Check free disk space|Disk quota exceeded/

/** Whether the output tells of a full disk. */
export const isDiskFull = (printed: string): boolean => fullDisk.test(printed)

/** What to do where the output tells of a full disk, or that the system has no more shared memory to give. */
export const roomOn = (folder: string, printed: string): string => {
  if (!isDiskFull(printed)) return ""
  const isMemory = printed.includes("shared memory segment") && process.platform === "linux"
  return isMemory
    ? ". Raise the system's limits of shared memory (kernel.shmmni, kernel.shmall), or remove what nobody uses (ipcs, ipcrm)"
    : `. Make room on the disk of ${folder}`
}

const reason = (cause: unknown): string => lastLine(messageOf(cause))

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
