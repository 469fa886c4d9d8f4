/** The fields of an output by their dotted names, in order. Lists and other values are not split. */
export const flattened = (output: unknown): ReadonlyArray<readonly [name: string, value: unknown]> => {
  const found: Array<readonly [string, unknown]> = []
  const visit = (value: unknown, path: string, depth: number): void => {
    const isObject = typeof value === "object" && value !== null && !Array.isArray(value)
    if (!isObject || depth > 16) found.push([path, value])
    else for (const [name, one] of Object.entries(value)) visit(one, path === "" ? name : `${path}.${name}`, depth + 1)
  }
  if (output !== undefined) visit(output, "", 0)
  return found.filter(([name]) => name !== "")
}

const pictures = 0x2400

/** Scripts whose letters are joined, or kept apart, by invisible characters. */
const joining = `[${"Arab Syrc Deva Beng Guru Gujr Orya Taml Telu Knda Mlym Sinh".replace(/\w+ ?/g, (script) => `\\p{scx=${script.trim()}}`)}]`

/** Invisible characters, and those that change the order of others, unless they are part of an emoji or a word. */
const unseen = new RegExp(
  [
    String.raw`(?<=[\p{Extended_Pictographic}\p{Emoji_Modifier}\ufe0f])\u200d(?=\p{Extended_Pictographic})`,
    String.raw`(?<=${joining})[\u200c\u200d](?=${joining})`,
    String.raw`([\u0000-\u0008\u000a-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff])`
  ].join("|"),
  "gu"
)

/** Replaces invisible characters, and those that change the order of others, by visible signs. */
export const visible = (text: string): string =>
  text.replace(unseen, (part: string, unit: string | undefined) => {
    if (unit === undefined) return part
    const code = unit.charCodeAt(0)
    if (code < 0x20) return String.fromCharCode(pictures + code)
    return `⟨U+${code.toString(16).toUpperCase().padStart(4, "0")}⟩`
  })

/** {@link visible} for a multi-line text, whose line feeds stay. */
export const visibleLines = (text: string): string => text.replace(/[^\n]+/g, visible)

/** A value in readable form: texts unchanged, others as JSON. */
export const valueText = (value: unknown): string =>
  typeof value === "string" ? visible(value) : visible(JSON.stringify(value) ?? "")
