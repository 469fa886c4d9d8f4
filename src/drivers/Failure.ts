import * as Predicate from "effect/Predicate"
/** A failure whose message is made for the user, from the run's own machinery. */
export class Failure extends Error {
  readonly component: string | undefined
  constructor(message: string, component?: string) {
    super(message)
    this.name = "Failure"
    this.component = component
  }
}

/** The failure of a user's program: its text has a traceback, on lines of their own. */
export class ProgramFailure extends Failure {}

/** The system's error code, such as `ENOENT`. */
export const codeOf = (error: unknown): string | undefined =>
  Predicate.hasProperty(error, "code") && typeof error.code === "string" ? error.code : undefined

/** Lines of a program's failure that are told. */
const maxTraceback = 40

const full = new Set(["ENOSPC", "EDQUOT"])

/** What a failed write means to the user, or the error itself when it says so better. */
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

/** The failure as the execution tells it: without folders of this machine, and on one line unless a program failed. */
export const explain = (
  error: unknown,
  hidden: ReadonlyArray<string>
): { readonly error: string; readonly component?: string } => {
  let text = error instanceof Error ? error.message : String(error)
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
