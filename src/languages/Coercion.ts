/** The types to which a capture can be converted. */
export const types = ["string", "int", "integer", "long", "float", "double", "bool", "boolean"] as const
export type CaptureType = (typeof types)[number]

/** Reports a value that could not be converted and therefore stays text. */
export interface ConversionFailure {
  readonly field: string
  readonly type: string
  readonly value: string
  readonly detail: string
}

/** Whether the text is one to fifteen digits, which a double holds exactly. */
const isPlainDigits = (text: string): boolean => {
  if (text.length === 0 || text.length > 15) return false
  for (let at = 0; at < text.length; at++) {
    const digit = text.charCodeAt(at) - 48
    if (digit < 0 || digit > 9) return false
  }
  return true
}
const decimal = /^\s*([+-]?)(?:(\d+)(?:\.\d*)?|\.\d+)\s*$/
const float = /^\s*[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?\s*$/

/** The integer part of a decimal text. Beyond 2^53 it is a string of digits, so it is always exact. */
export const toInteger = (text: string): number | string | undefined => {
  if (isPlainDigits(text)) return Number(text)
  const found = decimal.exec(text)
  if (found === null) return undefined
  const digits = found[2] ?? "0"
  const number = Number(digits)
  const negative = found[1] === "-"
  if (Number.isSafeInteger(number)) return negative && number !== 0 ? -number : number
  return (negative ? -BigInt(digits) : BigInt(digits)).toString()
}

export const toFloat = (text: string): number | undefined => {
  const number = float.test(text) ? Number(text) : Number.NaN
  return Number.isFinite(number) ? number : undefined
}

/**
 * The converted value, or undefined when the text does not have that type. Booleans: `true` in any case is true, all
 * else false.
 */
export const coerce = (text: string, type: CaptureType): string | number | boolean | undefined => {
  switch (type) {
    case "string":
      return text
    case "int":
    case "integer":
    case "long":
      return toInteger(text)
    case "float":
    case "double":
      return toFloat(text)
    case "bool":
    case "boolean":
      return text.toLowerCase() === "true"
  }
}
