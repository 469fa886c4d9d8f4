import type { Format } from "./Notation.ts"

/** Only these does HJSON have and YAML not. */
const hasSignsOfHjson = (text: string): boolean => /^[ \t]*\/[/*]|'''/m.test(text)

/** Each comment is taken once: one expression for all would try every way to part a line of many signs. */
const beginsWithBrace = (text: string): boolean => {
  const skip = /\s+|#.*|\/\/.*|\/\*[\s\S]*?\*\//y
  let at = 0
  while (skip.test(text)) at = skip.lastIndex
  return text.charAt(at) === "{"
}

const extensions: ReadonlyMap<string, Format> = new Map([
  ["yaml", "yaml"],
  ["yml", "yaml"],
  ["hjson", "hjson"],
  ["json", "json"]
])

const isJson = (text: string): boolean => {
  try {
    return typeof JSON.parse(text) === "object"
  } catch {
    return false
  }
}

/** In what a text may be written, the likeliest first, by the name of its file or else by itself: as the gateway reads it. */
export const formatsOf = (text: string, filename: string | null | undefined): readonly [Format, ...Array<Format>] => {
  const named = extensions.get(/\.([a-z]+)$/i.exec(filename ?? "")?.[1]?.toLowerCase() ?? "")
  if (named !== undefined) return [named]
  if (beginsWithBrace(text)) return isJson(text) ? ["json"] : ["hjson", "yaml"]
  return hasSignsOfHjson(text) ? ["yaml", "hjson"] : ["yaml"]
}
