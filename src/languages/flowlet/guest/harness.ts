import type { ScriptFault } from "../Outcome.ts"

// Runs inside the sandbox before the program. Its source text is passed there: it must not refer to anything outside.

/** The functions of the host. Only strings and numbers are passed in either direction. */
export interface Host {
  /** Called before each event with its index; true means stop before it. */
  readonly mark: (index: number) => boolean
  /**
   * Matches in the host. Returns the fields as JSON text, "" when nothing matches, or "!" and a message when the
   * pattern is invalid.
   */
  readonly match: (kind: "grok" | "dissect", pattern: string, text: string, definitions: string) => string
}

/** The functions that the host calls. */
interface Harness {
  /** Processes events (a JSON array) until the host says stop. */
  readonly run: (process: (event: unknown) => unknown, events: string) => void
  /** Returns the outcomes so far as a JSON array and clears them. */
  readonly collect: () => string
}

/**
 * Creates the helpers of programs and the loop over events. Captures the built-ins that it needs before the program can
 * change them.
 */
export function harness(host: Host, file: string): Harness {
  const { parse, stringify } = JSON
  const shownLines = 1000
  const shownLength = 8192
  let outcomes: Array<string> = []
  let printed: Array<string> = []

  const textOf = (value: unknown): string => {
    try {
      return typeof value === "object" && value !== null ? (stringify(value) ?? String(value)) : String(value)
    } catch {
      return "[a value that has no text]"
    }
  }
  const print = (...values: ReadonlyArray<unknown>): void => {
    if (printed.length < shownLines) printed.push(values.map(textOf).join(" ").slice(0, shownLength))
    else if (printed.length === shownLines) printed.push("(more lines are not shown)")
  }
  const match = (kind: "grok" | "dissect", patterns: unknown, text: unknown, definitions: unknown): unknown => {
    const lines =
      typeof definitions === "object" && definitions !== null
        ? Object.entries(definitions)
            .map(([name, regex]) => `${name} ${regex}`)
            .join("\n")
        : String(definitions ?? "")
    for (const pattern of Array.isArray(patterns) ? patterns : [patterns]) {
      const answer = host.match(kind, String(pattern), String(text), lines)
      if (answer.startsWith("!")) throw new Error(answer.slice(1))
      if (answer !== "") return parse(answer)
    }
    return null
  }
  const grok = (pattern: unknown, text: unknown, definitions?: unknown) => match("grok", pattern, text, definitions)
  const dissect = (pattern: unknown, text: unknown, appendSeparator?: unknown) =>
    match("dissect", pattern, text, appendSeparator)
  for (const helper of [print, grok, dissect]) {
    Object.freeze(helper)
    Object.defineProperty(globalThis, helper.name, { value: helper })
  }

  const faultOf = (thrown: unknown): ScriptFault => {
    try {
      // Without memory for an error object, the sandbox throws null.
      if (thrown === null) return { message: "thrown: null, by the program or because it is out of memory" }
      if (!(thrown instanceof Error)) return { message: `thrown: ${textOf(thrown)}`.slice(0, shownLength) }
      const message = `${thrown.name}: ${thrown.message}`.slice(0, shownLength)
      const at = String(thrown.stack).split(`${file}:`)[1]?.split(":") ?? []
      const [line, column] = at.map((digits) => parseInt(digits, 10))
      if (line === undefined || !(line > 0)) return { message }
      return column !== undefined && column > 0 ? { message, line, column } : { message, line }
    } catch {
      return { message: "thrown: a value that has no text" }
    }
  }

  const kinds = [Map, Set, WeakMap, WeakSet, RegExp, Promise, ArrayBuffer, DataView, Error]
  const { getPrototypeOf } = Object
  const { isArray } = Array
  const { isView } = ArrayBuffer
  const plain = Object.prototype
  const kindOf = (value: object): string | undefined => {
    if (isArray(value)) return undefined
    const kind = kinds.find((known) => value instanceof known)?.name
    if (kind !== undefined) return kind
    if (isView(value)) return "typed array"
    // Iterators would become empty objects.
    const isIterator = Symbol.iterator in value || Symbol.asyncIterator in value
    return isIterator && "next" in value ? "generator or another iterator" : undefined
  }
  const refuse = (key: string, what: string): never => {
    throw new TypeError(key === "" ? `process returned ${what}` : `the field "${key}" holds ${what}, which is not JSON`)
  }
  const jsonOnly = (key: string, value: unknown): unknown => {
    switch (typeof value) {
      case "number":
        return Number.isFinite(value) ? value : refuse(key, String(value))
      case "function":
      case "symbol":
      case "bigint":
        return refuse(key, `a ${typeof value}`)
      case "object": {
        if (value === null || getPrototypeOf(value) === plain) return value
        if (value instanceof Number) return jsonOnly(key, Number(value))
        const kind = kindOf(value)
        return kind === undefined ? value : refuse(key, `a ${kind}`)
      }
      default:
        return value
    }
  }
  const textOfEvent = (event: unknown, place: string): string => {
    if (typeof event !== "object" || event === null || isArray(event)) {
      const what = event === null ? "null" : isArray(event) ? "an array" : `a ${typeof event}`
      throw new TypeError(`process returned ${place}${what}: expected an event, an array of events or nothing`)
    }
    const text = stringify(event, jsonOnly)
    // toJSON can turn an object into anything.
    if (text === undefined || text[0] !== "{")
      throw new TypeError(`process returned ${place}an object that is not an event in JSON`)
    return text
  }
  const write = (value: unknown): string => {
    if (value === undefined || value === null) return '"dropped":true'
    if (value instanceof Promise) throw new TypeError("process returned a promise: programs are synchronous")
    if (!isArray(value)) return `"output":${textOfEvent(value, "")}`
    const texts: Array<string> = []
    // By index, because the program may have overridden the array's iterator or map.
    for (let index = 0; index < value.length; index++) texts.push(textOfEvent(value[index], "an array with "))
    return texts.length === 0 ? '"dropped":true' : `"output":[${texts.join(",")}]`
  }

  return {
    run: (process, events) => {
      const all: ReadonlyArray<unknown> = parse(events)
      for (let index = 0; index < all.length; index++) {
        if (host.mark(index)) return
        let outcome: string
        try {
          outcome = write(process(all[index]))
        } catch (thrown) {
          outcome = `"error":${stringify(faultOf(thrown))}`
        }
        if (printed.length > 0) outcome += `,"printed":${stringify(printed)}`
        printed = []
        outcomes.push(`{${outcome}}`)
      }
      host.mark(all.length)
    },
    collect: () => {
      const text = `[${outcomes.join(",")}]`
      outcomes = []
      printed = []
      return text
    }
  }
}
