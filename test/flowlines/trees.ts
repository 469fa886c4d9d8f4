import { Schema } from "effect"

/** Texts that a format may take for something else. */
const texts = [
  "",
  "a",
  "true",
  "null",
  "12",
  "1.5e3",
  "-",
  "a b",
  " lead",
  "trail ",
  "x # y",
  "// z",
  "l1\nl2",
  "l1\n  l2\n"
]
const odd = ["'''", '"q"', "'s'", "a,b", "{x", "é€😀", "a: b", "\t", "k]", "\u0007", "\\n", "C:\\x", "__proto__"]
/** Whole numbers from 0 to one less than the length. */
export const below = (length: number) => Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: length - 1 }))
const Text = Schema.Literals([...texts, ...odd])
const Leaf = Schema.Union([Text, Schema.Finite, Schema.Boolean, Schema.Null])
const Entry = <S extends Schema.Constraint>(value: S) =>
  Schema.Array(Schema.Tuple([Text, value])).check(Schema.isMaxLength(4))
/** Values by their entries: {@link treeOf} makes objects of them. */
export const Tree = Entry(
  Schema.Union([Leaf, Schema.Array(Schema.Union([Leaf, Entry(Leaf)])), Entry(Schema.Array(Leaf))])
)

/** Entries as an object; a key such as `__proto__` is an own one. */
export const treeOf = (entries: typeof Tree.Type): Record<string, unknown> => {
  const isEntry = (item: unknown): item is readonly [string, unknown] =>
    Array.isArray(item) && item.length === 2 && typeof item[0] === "string"
  const value = (part: unknown): unknown => {
    // An integer that a number cannot hold exactly is read as text.
    if (Number.isInteger(part) && !Number.isSafeInteger(part)) return 0.5
    if (!Array.isArray(part)) return part
    if (part.length > 0 && part.every(isEntry))
      return Object.fromEntries(part.map(([key, inner]) => [key, value(inner)]))
    return part.map(value)
  }
  return Object.fromEntries(entries.map(([key, part]) => [key, value(part)]))
}
