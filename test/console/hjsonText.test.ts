import { describe, expect, it } from "@effect/vitest"
import { Schema } from "effect"
import { hjson, json } from "../../packages/console/src/pages/flowlines/hjson.ts"
import type { Mark } from "../../src/languages/document/DocumentSource.ts"
import { readHjson } from "../../src/languages/document/Hjson.ts"
import { below, Tree, treeOf } from "../flowlines/trees.ts"
import { random, seed } from "../support/random.ts"

type Path = ReadonlyArray<string | number>

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** A value in HJSON, written in one of many possible ways, with comments in all places. */
const written = (root: Record<string, unknown>, start: number): string => {
  const { below } = random(start)
  const isSometimes = (of = 2) => below(of) === 0
  let comments = 0
  const comment = (isLineEnd: boolean): string => {
    if (!isSometimes(4)) return ""
    const name = `@${comments++}@`
    const kind = below(isLineEnd ? 3 : 1)
    return kind === 0 ? ` /* ${name} */` : kind === 1 ? ` # ${name}` : ` // ${name}`
  }
  const quoted = (text: string) =>
    isSometimes()
      ? JSON.stringify(text)
      : `'${JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`
  const key = (name: string) => (/^\w+$/.test(name) && isSometimes() ? name : quoted(name))
  /** @param isAlone whether the rest of the line is free */
  const text = (one: string, indent: string, isAlone: boolean): string => {
    const isPlain = /^[A-Za-z][\w ]*$/.test(one) && !/^(true|false|null)$/.test(one) && one.trim() === one
    if (isAlone && isPlain && isSometimes()) return `${one}\n`
    const isBlock = isAlone && one.includes("\n") && !one.includes("'''") && !/[^\n\u0020-\u007e]/.test(one)
    if (!isBlock || isSometimes(3)) return quoted(one)
    const margin = `${indent}  `
    return `\n${margin}'''\n${one
      .split("\n")
      .map((line) => margin + line)
      .join("\n")}\n${margin}'''`
  }
  const value = (one: unknown, indent: string, isAlone: boolean): string => {
    if (typeof one === "string") return text(one, indent, isAlone)
    if (typeof one !== "object" || one === null) return String(one)
    const elements = Array.isArray(one)
      ? one.map((item) => [undefined, item] as const)
      : Object.entries(one).map(([name, member]) => [name, member] as const)
    const [open, close] = Array.isArray(one) ? ["[", "]"] : ["{", "}"]
    if (isAlone && isSometimes(3) === false) return `${open}${lines(elements, `${indent}  `)}${indent}${close}`
    const inner = elements.map(
      ([name, member]) =>
        `${name === undefined ? "" : `${key(name)}: `}${value(member, indent, false)}${comment(false)}`
    )
    return `${open} ${inner.join(isSometimes() ? "," : " , ")}${inner.length > 0 && isSometimes(4) ? "," : ""} ${close}`
  }
  const lines = (elements: ReadonlyArray<readonly [string | undefined, unknown]>, indent: string): string => {
    const hasCommas = isSometimes()
    let made = `${comment(true)}\n`
    for (const [at, [name, member]] of elements.entries()) {
      if (isSometimes(4)) made += `${indent}${comment(true).trim()}\n`
      const own = `${indent}${name === undefined ? "" : `${key(name)}:${isSometimes(8) ? comment(false) : ""} `}${value(member, indent, true)}`
      // An unquoted text has ended its line.
      if (own.endsWith("\n")) made += own
      else made += `${own}${hasCommas && (at < elements.length - 1 || isSometimes()) ? "," : ""}${comment(true)}\n`
    }
    return isSometimes(4) ? `${made}${indent}${comment(true).trim()}\n` : made
  }
  const members = Object.entries(root)
  return members.length > 0 && isSometimes(3)
    ? lines(members, "").trimStart()
    : `${comment(false)}${value(root, "", true)}${comment(true)}\n`
}

const pathsOf = (value: unknown, path: Path = []): ReadonlyArray<Path> => [
  path,
  ...(Array.isArray(value)
    ? value.flatMap((item, at) => pathsOf(item, [...path, at]))
    : isObject(value)
      ? Object.entries(value).flatMap(([key, member]) => pathsOf(member, [...path, key]))
      : [])
]

/** A value with the member at a path replaced or removed. */
const applied = (whole: unknown, [key, ...rest]: Path, value: unknown): unknown => {
  if (key === undefined) return value
  if (Array.isArray(whole)) {
    const made = [...whole]
    const own = applied(whole[Number(key)], rest, value)
    made.splice(Number(key), 1, ...(own === undefined ? [] : [own]))
    return made
  }
  const own = applied(Reflect.get(Object(whole), key), rest, value)
  const others = Object.entries(Object(whole))
  const at = others.findIndex(([name]) => name === key)
  if (own !== undefined) others.splice(at < 0 ? others.length : at, at < 0 ? 0 : 1, [String(key), own])
  else others.splice(at, 1)
  return Object.fromEntries(others)
}

const commentsIn = (text: string): ReadonlyArray<string> => text.match(/@\d+@/g) ?? []

/** The mark at a path; undefined if nothing is there. */
const markAt = (text: string, path: Path): Mark | undefined =>
  path.reduce<Mark | undefined>(
    (mark, key) => (mark?.items === undefined ? mark?.members?.get(String(key)) : mark.items[Number(key)]),
    readHjson(text, "hjson").mark
  )

/** The comments outside of the value at a path. */
const outside = (text: string, path: Path): ReadonlyArray<string> => {
  const mark = markAt(text, path)
  if (mark === undefined) return commentsIn(text)
  return [...commentsIn(text.slice(0, mark.keyAt ?? mark.at)), ...commentsIn(text.slice(mark.end))]
}

/** Removes what JavaScript does not keep: negative zeros, and the place of a key that is a number. */
const plain = (value: Record<string, unknown>): Record<string, unknown> =>
  JSON.parse(JSON.stringify(value).replaceAll('"12":', '"12 ":'))

const Edit = Schema.Struct({
  entries: Tree,
  layout: below(2 ** 30),
  place: below(1000),
  kind: Schema.Literals(["put", "put", "add", "remove"]),
  value: Tree,
  which: below(6)
})

describe("an edit of HJSON", () => {
  it.prop(
    "says what it should, and keeps all comments outside of what it replaces, in their order",
    Edit.fields,
    ({ entries, layout, place, kind, value: given, which }) => {
      const tree = plain(treeOf(entries))
      const text = written(tree, layout)
      const before = readHjson(text, "hjson").value
      expect(before).toEqual(tree)
      const tried = plain(treeOf(given))
      const [leaf = "text"] = Object.values(tried)
      const value =
        which === 0 ? tried : which === 1 ? Object.values(tried) : which === 2 ? 7 : which === 3 ? "a\n b" : leaf
      const paths = pathsOf(before).filter((path) => path.length > 0)
      const found = paths[place % Math.max(1, paths.length)] ?? []
      const holder = found.slice(0, -1)
      const list = holder.reduce<unknown>((inner, key) => Reflect.get(Object(inner), key), before)
      const path = kind !== "add" && paths.length > 0 ? found : [...holder, Array.isArray(list) ? list.length : "added"]
      const next = kind === "remove" ? undefined : value
      const made = hjson.edited(text, path, next)
      if (kind === "remove" && paths.length === 0) return expect(made).toBe(text)
      const wanted = applied(before, path, next)
      // A result without members is not written.
      if (Object.keys(Object(wanted)).length === 0 && made === undefined) return
      expect(made, text).toBeDefined()
      expect(readHjson(made!, "hjson").value).toEqual(wanted)
      const kept = outside(text, path)
      expect(commentsIn(made!).filter((comment) => kept.includes(comment))).toEqual(kept)
      // Nothing else has changed: around the value, or around all members if one is added or removed.
      const replaced = next === undefined ? undefined : markAt(text, path)
      const around = replaced ?? markAt(text, path.slice(0, -1))!
      const isBare = around.members !== undefined && text.charAt(around.at) !== "{"
      expect(made!.startsWith(text.slice(0, around.at).trimEnd())).toBe(true)
      if (!isBare) expect(made!.endsWith(text.slice(around.end))).toBe(true)
    },
    { arbitrary: { seed, runs: 3000 } }
  )

  it.prop(
    "keeps JSON JSON, and its indentation",
    { ...Edit.fields, indent: Schema.Literals(["", " ", "    ", "\t"]) },
    ({ entries, place, kind, value, indent }) => {
      const tree = plain(treeOf(entries))
      const text = JSON.stringify(tree, null, indent)
      const paths = pathsOf(tree).filter((path) => path.length > 0)
      const found = paths[place % Math.max(1, paths.length)] ?? ["added"]
      const path = kind === "add" ? [...found.slice(0, -1), "added"] : found
      const holder = path.slice(0, -1).reduce<unknown>((inner, key) => Reflect.get(Object(inner), key), tree)
      if (kind === "add" && Array.isArray(holder)) return
      const next = kind === "remove" ? undefined : plain(treeOf(value))
      const made = json.edited(text, path, next)
      const wanted = applied(tree, path, next)
      expect(JSON.parse(made!)).toEqual(wanted)
      // New text is formatted like the rest.
      const isShown = indent === "" || Object.keys(tree).length > 0
      if (isShown) expect(made).toBe(JSON.stringify(JSON.parse(made!), null, indent))
    },
    { arbitrary: { seed, runs: 1000 } }
  )
})
