import { EmulatedRegExp, toRegExpDetails } from "oniguruma-to-es"
import { plainAscii } from "./AsciiPattern.ts"

/** A regular expression for V8, and the number of each named group in a match. */
interface TranslatedPattern {
  readonly regex: RegExp
  readonly numbers: ReadonlyMap<string, number>
  /** Whether a match contains only ASCII characters, even in lines with others. */
  readonly narrow: boolean
}

/** Removes group names (a match with `groups` costs half as much again) and returns the number of each. */
const numberGroups = (pattern: string): { readonly source: string; readonly numbers: ReadonlyMap<string, number> } => {
  const numbers = new Map<string, number>()
  let count = 0
  let depth = 0
  const source = pattern.replace(
    /\\[\s\S]|\[|\]|\(\?<([gl]\d+)>|\((?!\?)/g,
    (token: string, name: string | undefined) => {
      if (token === "[") depth++
      else if (token === "]") depth--
      else if (depth === 0 && token.startsWith("(")) {
        count++
        if (name !== undefined) numbers.set(name, count)
        return "("
      }
      return token
    }
  )
  return { source, numbers }
}

const asciiSets: Readonly<Record<string, string>> = { w: "0-9A-Za-z_", d: "0-9", s: "\\t\\n\\v\\f\\r\\x20" }

/**
 * Ruby's `\w \d \s` are ASCII-only, whereas its `\b` and POSIX brackets are not. The translator has a single switch for
 * both, so the shorthands are spelled out.
 */
export const spellOutShorthands = (source: string): string => {
  let depth = 0
  return source.replace(/\\[\s\S]|\[:\^?[a-z]+:\]|\[|\]/g, (token: string) => {
    if (token === "[") depth++
    else if (token === "]") depth--
    const letter = token.startsWith("\\") ? token.slice(1) : ""
    const set = asciiSets[letter.toLowerCase()]
    if (set === undefined) return token
    if (letter !== letter.toLowerCase()) return `[^${set}]`
    return depth > 0 ? set : `[${set}]`
  })
}

/** True when the source matches non-ASCII text differently from its ASCII-only form. */
export const needsUnicode = (source: string): boolean => /\\[bBpPXyY]|\[:/.test(source)

/**
 * Translates Oniguruma source to a RegExp. `flags` are the translator's (`m`: dot matches newline; `D S W`: ASCII
 * digits, blanks and words, for ASCII text only), `extra` are JavaScript's (`d`, `y`). Throws an Error that describes
 * the fault of the source.
 */
export const translate = (source: string, flags: string, extra: string): TranslatedPattern => {
  // In V8, `(?i:…)` also affects negated classes elsewhere. For the older target the translator writes out both cases
  // instead.
  const target = /\(\?[a-z]*i/.test(source) ? "ES2024" : "ES2025"
  const details = toRegExpDetails(source, { flags, target })
  const { pattern, options } = details
  if (options?.strategy || (options?.transfers?.length ?? 0) > 0) {
    // Subroutines and lookbehinds that search need the translator's own RegExp class, which hides its extra groups.
    const numbers = new Map<string, number>()
    for (const [, name] of source.matchAll(/\(\?<([gl]\d+)>/g)) numbers.set(name!, numbers.size + 1)
    return { regex: new EmulatedRegExp(pattern, details.flags + extra, options), numbers, narrow: false }
  }
  const numbered = numberGroups(pattern)
  const plain =
    flags.includes("W") && !details.flags.includes("i")
      ? plainAscii(numbered.source, details.flags.includes("s"))
      : undefined
  // Made also where it is not used: the form for any text is like it, and without the flag faults would pass.
  const exact = new RegExp(numbered.source, details.flags + extra)
  const regex = plain === undefined ? exact : new RegExp(plain, details.flags.replace("v", "") + extra)
  return { regex, numbers: numbered.numbers, narrow: plain !== undefined }
}
