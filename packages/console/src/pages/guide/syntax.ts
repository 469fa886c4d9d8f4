import { LineCounter, parseAllDocuments } from "yaml"

/** A fault in a text, with its position. Lines and columns start at 1. */
export interface Fault {
  readonly line: number
  readonly column: number
  readonly detail: string
}

/** Maximum number of shown faults. */
const most = 20

const yamlFaults = (text: string): ReadonlyArray<Fault> => {
  const lineCounter = new LineCounter()
  const documents = parseAllDocuments(text, { lineCounter, prettyErrors: false })
  const errors = Array.isArray(documents) ? documents.flatMap((document) => document.errors) : []
  return errors.map(({ pos: [at], message }) => {
    const { line, col } = lineCounter.linePos(at)
    return { line, column: col, detail: message }
  })
}

/** Why a text is not JSON; undefined if it is. */
const refusal = (text: string): string | undefined => {
  try {
    JSON.parse(text)
    return undefined
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

/** Whether a JSON text can start like this. */
const begins = (text: string): boolean => {
  const reason = refusal(text)
  if (reason === undefined || /end of (JSON input|data)|unterminated/i.test(reason)) return true
  const at = /position (\d+)/.exec(reason)?.[1]
  return at !== undefined && Number(at) >= text.length
}

/** Browsers do not always report a position. The fault is at the end of the longest prefix that valid JSON can have. */
const jsonFaults = (text: string): ReadonlyArray<Fault> => {
  const reason = refusal(text)
  if (reason === undefined) return []
  let good = 0
  for (let bad = text.length + 1; bad - good > 1; ) {
    const middle = (good + bad) >> 1
    if (begins(text.slice(0, middle))) good = middle
    else bad = middle
  }
  const before = text.slice(0, good).split("\n")
  const detail = reason.replace(/, (?:\.\.\.)?"[\s\S]*" is not valid JSON$| in JSON at position .*$/, "")
  return [{ line: before.length, column: (before.at(-1)?.length ?? 0) + 1, detail }]
}

/** The syntax faults of a file; undefined for files whose syntax is not checked here. */
export const faultsOf = (name: string, text: string): ReadonlyArray<Fault> | undefined => {
  if (/\.ya?ml$/i.test(name)) return yamlFaults(text).slice(0, most)
  if (/\.json$/i.test(name)) return jsonFaults(text)
  return undefined
}
