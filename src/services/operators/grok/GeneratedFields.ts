import type { ConversionFailure } from "../Coercion.ts"
import { type Fields, refusedSegment, type Value } from "../FieldPath.ts"
import { type Branch, branchesOf } from "./Branches.ts"
import { type Builder, leafValue, walkingBuilder } from "./Fields.ts"
import type { Leaf, Match } from "./Leaf.ts"

type Generated = (match: Match, failures: Array<ConversionFailure>) => Fields | undefined
type Convert = (match: Match, failures: Array<ConversionFailure>) => Value | undefined

/** Fields that the bits of a number can stand for. */
const maxFields = 30
/** Sets of fields that one expression has code for; lines of one log have a few. */
const maxShapes = 16
/** Names that mean the same as a key of an object literal and as an index, whatever reads the code. */
const plainName = /^[A-Za-z_@][A-Za-z0-9_@-]*$/

const leavesOf = (branches: ReadonlyArray<Branch>): ReadonlyArray<Leaf> =>
  branches.flatMap(({ leaf, children }) => (leaf === undefined ? leavesOf(children) : [leaf]))

const hasClash = (branches: ReadonlyArray<Branch>): boolean =>
  branches.some(({ leaf, children }) => (leaf !== undefined && children.length > 0) || hasClash(children))

const isText = ({ slots }: Leaf): boolean => slots.length === 1 && slots[0]!.type === "string"

/** The object literal of the fields whose bit is set, empty when there are none. */
const literal = (branches: ReadonlyArray<Branch>, bits: ReadonlyMap<Leaf, number>, shape: number): string =>
  branches
    .flatMap(({ key, leaf, children }) => {
      if (leaf === undefined) {
        const inner = literal(children, bits, shape)
        return inner === "" ? [] : [`${JSON.stringify(key)}: { ${inner} }`]
      }
      const bit = bits.get(leaf)!
      return (shape & (1 << bit)) === 0 ? [] : [`${JSON.stringify(key)}: v${bit}`]
    })
    .join(", ")

/**
 * A builder whose code is made for the expression: V8 makes an object of known keys in one step, where adding key by
 * key takes as long as a third of the match. Every set of fields that lines turn out to have gets an object literal of
 * its own, and the code is made anew with it. Undefined for what it cannot take: empty captures that are kept, names
 * that are not plain, fields that clash, more than 30 of them, or a process that makes no code from text.
 */
export const generatedBuilder = (
  leaves: ReadonlyArray<Leaf>,
  keepEmpty: boolean,
  numbers: ReadonlyArray<number>
): Builder | undefined => {
  const branches = branchesOf(leaves)
  if (keepEmpty || leaves.length > maxFields || hasClash(branches)) return undefined
  if (leaves.some(({ path }) => refusedSegment(path) !== undefined || !path.every((key) => plainName.test(key))))
    return undefined
  const ordered = leavesOf(branches)
  const bits = new Map(ordered.map((leaf, bit) => [leaf, bit]))
  const convert = ordered.map(
    (leaf): Convert =>
      (match, failures) =>
        leafValue(leaf, match, numbers, false, failures)
  )
  const values = ordered.map((leaf, bit) =>
    isText(leaf) ? `match[${numbers[leaf.slots[0]!.capture]}]` : `convert[${bit}](match, failures)`
  )
  const present = ordered.map((leaf, bit) => `(v${bit}${isText(leaf) ? "" : " !== undefined"} ? ${1 << bit} : 0)`)
  const shapes = new Set<number>()

  const generate = (): Generated => {
    const cases = [...shapes].map((shape) => `case ${shape}: return { ${literal(branches, bits, shape)} }`)
    const lines = [
      '"use strict"',
      "return (match, failures) => {",
      ...values.map((value, bit) => `const v${bit} = ${value}`),
      `switch (${["0", ...present].join(" | ")}) {`,
      ...cases,
      "}",
      "}"
    ]
    return new Function("convert", lines.join("\n"))(convert)
  }

  /** The number of the fields that an event has. */
  const shapeOf = (fields: Fields): number =>
    ordered.reduce((shape, { path }, bit) => {
      const value = path.reduce<unknown>((inner, key) => (inner as Fields | undefined)?.[key], fields)
      return value === undefined ? shape : shape | (1 << bit)
    }, 0)

  const walk = walkingBuilder(leaves, false, numbers)
  let quick: Generated
  try {
    quick = generate()
  } catch {
    return undefined
  }
  return (match, failures) => {
    const known = quick(match, failures)
    if (known !== undefined) return known
    failures.length = 0
    const fields = walk(match, failures)
    if (shapes.size < maxShapes) {
      shapes.add(shapeOf(fields))
      quick = generate()
    }
    return fields
  }
}
