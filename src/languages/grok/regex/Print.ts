import type { ExpandedGroup } from "../syntax/Expand.ts"
import { nullable } from "../syntax/Nullable.ts"
import { childrenOf, isSwitch, type Node, type Repeat, someNode } from "../syntax/Syntax.ts"

/** A repetition whose captures ECMAScript would clear between iterations. It is printed inside the group `l<index>`. */
export interface Loop {
  readonly body: Node
  /** Option switches in effect at the loop, such as `(?i-m:`. */
  readonly options: string
  /** Captures that an iteration may leave unset. */
  readonly fragile: ReadonlyArray<number>
  readonly min: number
  readonly max: number
  readonly lazy: boolean
}

export interface Printed {
  /** Oniguruma source. Captures are named `g<index>`, loops `l<index>`. */
  readonly source: string
  readonly loops: ReadonlyArray<Loop>
}

/** Captures below `node` that one pass may leave unset: those in a choice or in an optional part. */
const fragileCaptures = (node: Node, optional: boolean, found: Array<number>): void => {
  const index = (node as ExpandedGroup).capture
  if (optional && index !== undefined) found.push(index)
  const loose = optional || node.kind === "choice" || (node.kind === "repeat" && node.min === 0)
  for (const child of childrenOf(node)) fragileCaptures(child, loose, found)
}

/** Simplifies `(X+)+` to `X+`, which matches the same without trying every way to split the text. */
const flattened = (node: Repeat, numbered: boolean): string | undefined => {
  const group = node.node as ExpandedGroup
  if (!/^[*+]$/.test(node.quantifier) || group.kind !== "group" || group.capture !== undefined) return undefined
  if (group.open !== "(?:" && (group.open !== "(" || numbered)) return undefined
  const only = group.body.kind === "sequence" && group.body.items.length === 1 ? group.body.items[0]! : group.body
  if (only.kind !== "repeat" || !/^[*+]$/.test(only.quantifier)) return undefined
  if (only.node.kind !== "class" && only.node.kind !== "atom") return undefined
  return only.node.text + (node.quantifier === "+" && only.quantifier === "+" ? "+" : "*")
}

/**
 * ECMAScript rejects an optional iteration that matches nothing, so `(?:.*?)?` takes a character; Oniguruma does not. A
 * choice with an empty alternative means the same in both.
 */
const optionalChoice = (inner: string, quantifier: string): string =>
  quantifier === "??" ? `(?:|${inner})` : quantifier === "?+" ? `(?>${inner}|)` : `(?:${inner}|)`

/**
 * A reference to a group that cannot have a value becomes `(?!)`, which only a group makes repeatable in all forms.
 */
const repeatable = (node: Node, written: string): string =>
  node.kind === "backreference" || (node.kind === "atom" && /^\\[1-9]/.test(node.text)) ? `(?:${written})` : written

const switchOptions = (current: string, text: string): string => {
  const [on, off = ""] = text.replace(/[(?:)]/g, "").split("-")
  const kept = [...current].filter((letter) => !off.includes(letter))
  return [...new Set([...kept, ...on!])].sort().join("")
}

/** Writes an expanded tree as Oniguruma source with safe group names, or without captures if `captures` is false. */
export const print = (
  root: Node,
  names: ReadonlyMap<string, ReadonlyArray<number>>,
  options = "",
  captures = true
): Printed => {
  const loops: Array<Loop> = []
  const numbered = someNode(root, (node) => node.kind === "atom" && /^\\[1-9]/.test(node.text))

  const backreference = (letter: string, name: string): string => {
    const known = /^[+-]?\d+$/.test(name) ? undefined : names.get(name)
    if (known === undefined) return `\\${letter}<${name}>`
    if (letter === "g" || known.length === 1) return `\\${letter}<g${known[0]}>`
    return `(?:${known
      .map((index) => `\\k<g${index}>`)
      .reverse()
      .join("|")})`
  }

  const write = (node: Node, active: string, insideLoop: boolean): string => {
    switch (node.kind) {
      case "group": {
        const index = (node as ExpandedGroup).capture
        const inner = /^\(\?[a-z-]+:/.test(node.open) ? switchOptions(active, node.open) : active
        const open = index === undefined ? node.open : captures ? `(?<g${index}>` : "(?:"
        return `${open}${write(node.body, inner, insideLoop)})`
      }
      case "repeat": {
        const flat = flattened(node, numbered)
        if (flat !== undefined) return flat
        if (/^\?[?+]?$/.test(node.quantifier) && nullable(node.node))
          return optionalChoice(write(node.node, active, insideLoop), node.quantifier)
        const fragile: Array<number> = []
        if (captures && !insideLoop && node.max > 1) fragileCaptures(node.node, false, fragile)
        if (fragile.length === 0) return repeatable(node.node, write(node.node, active, insideLoop)) + node.quantifier
        const on = active === "" ? "" : active
        const off = [..."imx"].filter((letter) => !active.includes(letter)).join("")
        const index = loops.length
        const { node: body, min, max } = node
        const lazy = /[^?]\?$/.test(node.quantifier)
        loops.push({ body, options: `(?${on}${off === "" ? "" : `-${off}`}:`, fragile, min, max, lazy })
        return `(?<l${index}>${write(node.node, active, true)}${node.quantifier})`
      }
      case "sequence": {
        let current = active
        return node.items
          .map((item) => {
            if (item.kind === "mark" && isSwitch(item)) current = switchOptions(current, item.text)
            return write(item, current, insideLoop)
          })
          .join("")
      }
      case "choice":
        return node.branches.map((branch) => write(branch, active, insideLoop)).join("|")
      case "backreference":
        return backreference(node.letter, node.name)
      case "reference":
        return `(?:${node.syntax})`
      default:
        return node.text
    }
  }

  const source = write(root, options, false)
  return { source, loops }
}
