/** The fields of an output by their dotted names, in their order. Lists and other values stay whole. */
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

/** Characters that are not seen, or that change the order of others, as signs that are seen. */
export const visible = (text: string): string =>
  text.replace(
    /[\u0000-\u0008\u000a-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g,
    (unit) => {
      const code = unit.charCodeAt(0)
      if (code < 0x20) return String.fromCharCode(pictures + code)
      return `⟨U+${code.toString(16).toUpperCase().padStart(4, "0")}⟩`
    }
  )

/** {@link visible} for a text of several lines, whose line feeds stay. */
export const visibleLines = (text: string): string => text.replace(/[^\n]+/g, visible)

/** A value as it is read: texts as they are, others as JSON. */
export const valueText = (value: unknown): string =>
  typeof value === "string" ? visible(value) : visible(JSON.stringify(value) ?? "")
