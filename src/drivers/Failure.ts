import * as Predicate from "effect/Predicate"
import { messageOf } from "../languages/ErrorMessage.ts"
/** A failure of a run with a message for the user. */
export class Failure extends Error {
  readonly component: string | undefined
  constructor(message: string, component?: string) {
    super(message)
    this.name = "Failure"
    this.component = component
  }
}

/** The failure of a user's program. Its message may contain a traceback in several lines. */
export class ProgramFailure extends Failure {}

/** The system's error code, such as `ENOENT`. */
export const codeOf = (error: unknown): string | undefined =>
  Predicate.hasProperty(error, "code") && typeof error.code === "string" ? error.code : undefined

/** Maximum number of lines of a program's failure. */
const maxTraceback = 40

const full = new Set(["ENOSPC", "EDQUOT"])

/** Maps a failed write to a failure for the user, or returns the error itself if it is already clear. */
export const writeFailure = (error: unknown, what: string): unknown => {
  const code = codeOf(error)
  if (code !== undefined && full.has(code)) return new Failure(`${what} could not be written: the disk is full`)
  if (code === "EISDIR" || code === "ENOTDIR" || code === "EEXIST" || code === "ENOTEMPTY")
    return new Failure(`${what} could not be written: a folder and a file have the same path`)
  if (code === "EACCES" || code === "EPERM" || code === "EROFS")
    return new Failure(`${what} could not be written: permission denied`)
  if (code === "EMFILE" || code === "ENFILE") return new Failure(`${what} could not be written: too many open files`)
  return error
}

/** The failure as the execution shows it: without paths of this machine, and on one line unless a program failed. */
export const explain = (
  error: unknown,
  hidden: ReadonlyArray<string>
): { readonly error: string; readonly component?: string } => {
  let text = messageOf(error)
  for (const folder of hidden) text = text.replaceAll(`${folder}/`, "").replaceAll(folder, "")
  const lines = error instanceof ProgramFailure ? maxTraceback : 1
  const line = text
    .replace(/file:\/\/\S+/g, "")
    .split("\n", lines)
    .join("\n")
    .trim()
    .slice(0, lines * 1000)
  const component =
    Predicate.hasProperty(error, "component") && typeof error.component === "string" ? error.component : undefined
  return { error: line === "" ? "The run failed" : line, ...(component === undefined ? {} : { component }) }
}
