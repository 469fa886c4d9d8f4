import { type ConversionFailure, coerce } from "../../Coercion.ts"
import { type Fields, refusedSegment } from "../../FieldPath.ts"
import { type Branch, branchesOf } from "./Branches.ts"
import { leafValue } from "./FieldBuilder.ts"
import type { Leaf, Match } from "./Leaf.ts"
import { type Course, type GrokMatch, type LineMatch, noFailures, type Recipe, wariness } from "./Recipe.ts"

/** Maximum number of fields of an expression, and of those that are bits of the shape number. */
const maxFields = 100
const maxBits = 30
/** Maximum number of field sets for which one expression has code. The lines of one log have only a few. */
const maxShapes = 16
/** Names that are safe both as a key of an object literal and as a property name. */
const plainName = /^[A-Za-z_@][A-Za-z0-9_@-]*$/

const leavesOf = (branches: ReadonlyArray<Branch>): ReadonlyArray<Leaf> =>
  branches.flatMap(({ leaf, children }) => (leaf === undefined ? leavesOf(children) : [leaf]))

const hasClash = (branches: ReadonlyArray<Branch>): boolean =>
  branches.some(({ leaf, children }) => (leaf !== undefined && children.length > 0) || hasClash(children))

const isPlain = ({ path }: Leaf): boolean =>
  refusedSegment(path) === undefined && path.every((key) => plainName.test(key))

/** The object literal of the fields that are present; empty when there are none. */
const literal = (
  branches: ReadonlyArray<Branch>,
  isPresent: (leaf: Leaf) => boolean,
  nameOf: (leaf: Leaf) => string
): string =>
  branches
    .flatMap(({ key, leaf, children }) => {
      if (leaf !== undefined) return isPresent(leaf) ? [`${JSON.stringify(key)}: ${nameOf(leaf)}`] : []
      const inner = literal(children, isPresent, nameOf)
      return inner === "" ? [] : [`${JSON.stringify(key)}: { ${inner} }`]
    })
    .join(", ")

const miss = `course.wary = ${wariness}\nreturn undefined`

/** The value of a field with several or converted captures; `rare` when a conversion fails. */
type Convert = (match: Match) => unknown
const rare: unique symbol = Symbol("rare")

const converter = (leaf: Leaf, numbers: ReadonlyArray<number>): Convert => {
  const { capture, type } = leaf.slots[0]!
  const number = numbers[capture]!
  if (leaf.slots.length === 1) {
    return (match) => {
      const text = match[number]
      return text === undefined || text === "" ? undefined : (coerce(text, type) ?? rare)
    }
  }
  const failures: Array<ConversionFailure> = []
  return (match) => {
    const value = leafValue(leaf, match, numbers, false, failures)
    if (failures.length === 0) return value
    failures.length = 0
    return rare
  }
}

const has = (fields: Fields, { path }: Leaf): boolean =>
  path.reduce<unknown>((inner, key) => (inner as Fields | undefined)?.[key], fields) !== undefined

/**
 * Matches with code that is generated for the expression. V8 creates an object literal with known keys in one step,
 * whereas adding keys one by one takes up to a third of the match. Each set of fields that occurs gets its own object
 * literal, for which the code is regenerated. Undefined for unsupported cases: kept empty captures, unusual names,
 * clashing fields, too many fields, or a process that forbids code generation.
 */
export const generatedMatch = (
  { pattern, exec, numbers, leaves, known, keepEmpty, required, narrow }: Recipe,
  course: Course,
  walk: (found: RegExpExecArray) => GrokMatch
): (() => LineMatch) | undefined => {
  const branches = branchesOf(leaves)
  if (keepEmpty || leaves.length > maxFields || hasClash(branches) || !leaves.every(isPlain)) return undefined
  const ordered = leavesOf(branches)
  const names = new Map(ordered.map((leaf, index) => [leaf, `v${index}`]))
  const nameOf = (leaf: Leaf) => names.get(leaf)!
  const isText = ({ slots }: Leaf) => slots.length === 1 && slots[0]!.type === "string"
  const optional = ordered.filter(({ slots }) => !slots.some(({ capture }) => known.certain.has(capture)))
  if (optional.length > maxBits) return undefined
  const bits = new Map(optional.map((leaf, bit) => [leaf, 1 << bit]))
  const convert = ordered.map((leaf) => (isText(leaf) ? undefined : converter(leaf, numbers)))

  const values = ordered.flatMap((leaf, index) =>
    isText(leaf)
      ? [`const v${index} = found[${numbers[leaf.slots[0]!.capture]}]`]
      : [`const v${index} = convert[${index}](found)`, `if (v${index} === rare) return unusual(found)`]
  )
  // A text that cannot be empty only needs a comparison with undefined.
  const isSolid = (leaf: Leaf) => !isText(leaf) || known.solid.has(leaf.slots[0]!.capture)
  const present = optional.map(
    (leaf) => `(${nameOf(leaf)}${isSolid(leaf) ? " !== undefined" : ""} ? ${bits.get(leaf)} : 0)`
  )
  const shapes = new Set<number>()

  const generate = (): LineMatch => {
    const result = (shape: number) => {
      const isPresent = (leaf: Leaf) => !bits.has(leaf) || (bits.get(leaf)! & shape) !== 0
      return `return { pattern: ${pattern}, fields: { ${literal(branches, isPresent, nameOf)} }, failures: noFailures }`
    }
    const lines = [
      '"use strict"',
      "return (line) => {",
      ...(required === undefined
        ? []
        : [`if (course.wary > 0 && !line.includes(${JSON.stringify(required)})) {`, "course.sure = true", miss, "}"]),
      "const found = exec(line)",
      "if (found === null) {",
      "course.sure = false",
      miss,
      "}",
      "if (course.wary > 0) course.wary--",
      narrow ? "course.sure = found.index === 0 && found[0].length === line.length" : "course.sure = false",
      ...values,
      ...(optional.length === 0
        ? [result(0)]
        : [
            `switch (${present.join(" | ")}) {`,
            ...[...shapes].map((shape) => `case ${shape}: ${result(shape)}`),
            "}",
            "return unusual(found)"
          ]),
      "}"
    ]
    const make = new Function("exec", "course", "convert", "rare", "unusual", "noFailures", lines.join("\n"))
    return make(exec, course, convert, rare, unusual, noFailures)
  }

  /** A match with a new set of fields, or with a value that does not convert. */
  const unusual = (found: RegExpExecArray): GrokMatch => {
    const made = walk(found)
    const shape = optional.reduce((sum, leaf) => (has(made.fields, leaf) ? sum | bits.get(leaf)! : sum), 0)
    if (shapes.size < maxShapes && !shapes.has(shape)) {
      shapes.add(shape)
      quick = generate()
    }
    return made
  }

  let quick: LineMatch
  try {
    quick = generate()
  } catch {
    return undefined
  }
  return () => quick
}
