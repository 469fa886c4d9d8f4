import type { ScriptFault } from "./Outcome.ts"

/** The file name of programs in stack traces. */
export const file = "program.js"

/** A program in the form that the sandbox evaluates. Its value is the function `process`. */
export interface Program {
  /** Scripts to run in order, each with its file name in stack traces. */
  readonly scripts: ReadonlyArray<readonly [name: string, text: string]>
  /** Maps the position of a fault to the text that the user wrote. */
  readonly locate: (fault: ScriptFault) => ScriptFault
}

/** Compiles a script without running it; returns its fault, if any. */
type Compile = (script: string) => ScriptFault | undefined

/** The purpose of a program. The program of a filter decides which events are kept, and may be an expression. */
export type Purpose = "flowlet" | "filter"

const bodyStart = "(function (event) {"
const expressionStart = "(function (event) { return ("
const taken = "(function () { let process;"

/**
 * Prepares a program. A program that declares `process` at its top level runs as it is. Any other program is the body
 * of `process`, after which the event is kept; in a filter the body has to return whether it is kept.
 */
export const readProgram = (text: string, compile: Compile, purpose: Purpose): Program | ScriptFault => {
  const lines = text.split("\n")
  const locateAfter =
    (start: string) =>
    (found: ScriptFault): ScriptFault => {
      const { message, line, column } = found
      if (line === undefined) return found
      // Something missing at the end is reported after the last line; move it to the end of that line.
      if (line > lines.length) return { message, line: lines.length, column: (lines.at(-1)?.length ?? 0) + 1 }
      if (column === undefined) return found
      return { message, line, column: line === 1 ? Math.max(1, column - start.length) : column }
    }
  const fault = compile(text)
  // The wrapper declares `process` already, so this can only fail because the program declares it too.
  if (fault === undefined && compile(`${taken}${text}\n})`) !== undefined) {
    return {
      scripts: [
        [file, text],
        ["", "if (typeof process !== 'function') throw new TypeError('process is not a function'); process"]
      ],
      locate: (found) => found
    }
  }
  const expression = `${expressionStart}${text}\n)})`
  if (purpose === "filter" && compile(expression) === undefined) {
    return { scripts: [[file, expression]], locate: locateAfter(expressionStart) }
  }
  const body = `${bodyStart}${text}\n${purpose === "filter" ? "" : ";return event\n"}})`
  const locate = locateAfter(bodyStart)
  const bodyFault = compile(body)
  if (purpose === "filter" && bodyFault === undefined && !/\breturn\b/.test(text)) {
    return { message: "the program returns nothing: every event would be dropped", line: 1, column: 1 }
  }
  if (bodyFault === undefined) return { scripts: [[file, body]], locate }
  return fault !== undefined && !fault.message.includes("return not in a function") ? fault : locate(bodyFault)
}
