import type { ScriptFault } from "./Outcome.ts"

/** The name that programs have in the sandbox's stack traces. */
export const file = "program.js"

/** A program in the form that the sandbox evaluates; the value is the function `process`. */
export interface Program {
  /** Scripts to run one after the other, each with its name in stack traces. */
  readonly scripts: ReadonlyArray<readonly [name: string, text: string]>
  /** The fault with the position that it has in the text as the user wrote it. */
  readonly locate: (fault: ScriptFault) => ScriptFault
}

/** Tells whether a script compiles, without running it. */
export type Compile = (script: string) => ScriptFault | undefined

/** What a program is for: a filter's says which events are kept, and may be an expression. */
export type Purpose = "flowlet" | "filter"

const bodyStart = "(function (event) {"
const expressionStart = "(function (event) { return ("
const taken = "(function () { let process;"

/**
 * Reads a program. One that declares `process` at its top level, in whatever way, runs as it is; any other is the body
 * of `process`, after which the event is kept; in a filter it has to return whether it is.
 */
export const readProgram = (text: string, compile: Compile, purpose: Purpose): Program | ScriptFault => {
  const lines = text.split("\n")
  const locateAfter =
    (start: string) =>
    (found: ScriptFault): ScriptFault => {
      const { message, line, column } = found
      if (line === undefined) return found
      // What is missing at the end is noticed behind it.
      if (line > lines.length) return { message, line: lines.length, column: (lines.at(-1)?.length ?? 0) + 1 }
      if (column === undefined) return found
      return { message, line, column: line === 1 ? Math.max(1, column - start.length) : column }
    }
  const fault = compile(text)
  // A second declaration of the same name in the same scope is the one thing that can be wrong now.
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
