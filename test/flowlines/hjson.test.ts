import { createRequire } from "node:module"
import { it } from "@effect/vitest"
import { Schema } from "effect"
import { describe, expect } from "vitest"
import { type Marked, TextFault } from "../../src/languages/document/DocumentSource.ts"
import { readHjson } from "../../src/languages/document/Hjson.ts"
import { seed } from "../support/random.ts"
import { below, Tree, treeOf } from "./trees.ts"

interface Reference {
  readonly parse: (text: string) => unknown
  readonly stringify: (value: unknown, options: object) => string
}
const hjson: Reference = createRequire(import.meta.url)("hjson")

/**
 * JavaScript's parser, except for long integers: a flowline keeps their digits, and rounds decimals as JavaScript does.
 */
const parseJson = (text: string): unknown =>
  JSON.parse(text, (_key: string, value: unknown, context?: { readonly source?: string }) =>
    typeof value === "number" && !Number.isSafeInteger(value) && /^-?\d+$/.test(context?.source ?? "")
      ? context?.source
      : value
  )

const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value))

const Edits = Schema.Array(
  Schema.Struct({
    at: below(100_000),
    remove: below(3),
    insert: Schema.Literals(["", ..."{}[],:'\"\\\n #/*-0te.+\r\t"])
  })
).check(Schema.isMaxLength(3))
const writers = [
  (value: unknown) => JSON.stringify(value),
  (value: unknown) => JSON.stringify(value, null, 2),
  ...[
    {},
    { quotes: "always" },
    { separator: true },
    { quotes: "keys" },
    { multiline: "off" },
    { emitRootBraces: false }
  ].map((options) => (value: unknown) => hjson.stringify(value, options))
]

const outcome = (run: () => unknown): { value: unknown } | undefined => {
  try {
    return { value: run() }
  } catch (cause) {
    if (cause instanceof TextFault || cause instanceof Error) return undefined
    throw cause
  }
}

/** What this reader refuses on purpose and the others take. */
const stricter = (text: string, dialect: "json" | "hjson"): boolean => {
  try {
    readHjson(text, dialect)
    return false
  } catch (cause) {
    return (
      cause instanceof TextFault &&
      /occurs twice|out of range|is empty|comment is not closed|a value, found the end of the file/.test(cause.detail)
    )
  }
}

/** The library sets an object's prototype for a key `__proto__`, and rounds long integers. */
const different = (text: string): boolean => text.includes("__proto__") || /\d{16}/.test(text)

/** All values that a text has, with their marks. */
const parts = ({ value, mark }: Marked): ReadonlyArray<Marked> => {
  const below = [...(mark.members ?? []), ...(mark.items ?? []).entries()]
  return [{ value, mark }, ...below.flatMap(([key, mark]) => parts({ value: Reflect.get(Object(value), key), mark }))]
}

describe("the HJSON and JSON reader", () => {
  it.prop(
    "reads what the reference implementations read, and refuses what they refuse",
    { entries: Tree, writer: below(writers.length), edits: Edits },
    ({ entries, writer, edits }) => {
      let text = writers[writer]!(treeOf(entries))
      for (const { at, remove, insert } of edits) {
        const place = at % (text.length + 1)
        text = text.slice(0, place) + insert + text.slice(place + remove)
      }
      if (!stricter(text, "json")) {
        const own = outcome(() => plain(readHjson(text, "json").value))
        expect(own).toEqual(outcome(() => plain(parseJson(text))))
      }
      const reference = outcome(() => hjson.parse(text))
      // A document that is a bare text or number is no flowline: it is refused later, or here.
      if (typeof reference?.value !== "object" && reference !== undefined) return
      if (different(text) || stricter(text, "hjson")) return
      const own = outcome(() => plain(readHjson(text, "hjson").value))
      expect(own).toEqual(reference === undefined ? undefined : { value: plain(reference.value) })
    },
    { arbitrary: { seed, runs: 3000 } }
  )

  it.prop(
    "knows where every value begins and ends",
    { entries: Tree, writer: below(writers.length) },
    ({ entries, writer }) => {
      const text = writers[writer]!(treeOf(entries))
      let read: Marked
      try {
        read = readHjson(text, "hjson")
      } catch {
        // An empty object without braces.
        return
      }
      for (const { value, mark } of parts(read)) {
        const column = mark.at - (text.lastIndexOf("\n", mark.at - 1) + 1)
        const own = text.slice(mark.at, mark.end)
        expect(own).toBe(own.trim())
        const isBare = mark.members !== undefined && !own.startsWith("{")
        const alone = isBare ? `{${own}\n}` : own
        // The column is the margin of a text of several lines.
        expect(readHjson(`[\n${" ".repeat(column)}${alone}\n]`, "hjson").value).toEqual([value])
      }
    },
    { arbitrary: { seed, runs: 500 } }
  )
})
