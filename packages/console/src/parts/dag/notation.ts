/** Only these does HJSON have and YAML not. */
export const hasSignsOfHjson = (text: string): boolean => /^[ \t]*\/[/*]|'''/m.test(text)

export const beginsWithBrace = (text: string): boolean => /^(?:\s|#.*|\/\/.*)*\{/.test(text)

/** What a text without faults is written in; undefined where only a reader of YAML can tell. */
export const notationOf = (text: string): "yaml" | "json" | undefined => {
  if (!beginsWithBrace(text)) return hasSignsOfHjson(text) ? undefined : "yaml"
  try {
    JSON.parse(text)
    return "json"
  } catch {
    return undefined
  }
}
