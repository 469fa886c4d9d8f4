/** Whether a JSON text may hold a number of more digits than JavaScript's numbers keep, or one beyond their range. */
const suspicious = /[\d.]{16}|\d[eE][+-]?\d{3}/

/** Digits without zeros at their ends, and the power of ten of the last: equal for equal numbers. */
const canonical = (text: string): string => {
  const [, mantissa = "", exponent = "0"] = /^-?([\d.]+)(?:[eE]([+-]?\d+))?$/.exec(text) ?? []
  const [whole = "", fraction = ""] = mantissa.split(".")
  const digits = (whole + fraction).replace(/^0+/, "")
  const kept = digits.replace(/0+$/, "")
  return kept === "" ? "0" : `${kept}e${Number(exponent) - fraction.length + digits.length - kept.length}`
}

const exact = (_key: string, value: unknown, context?: { readonly source?: string }): unknown => {
  const source = context?.source
  if (typeof value !== "number" || source === undefined) return value
  if (source.length < 16 && !/e[+-]?\d{3}/i.test(source)) return value
  const isInteger = /^-?\d+$/.test(source)
  if (isInteger) return Number.isSafeInteger(value) ? value : source
  return canonical(source) === canonical(String(value)) ? value : source
}

/** Reads JSON; every number, whole or not, that JavaScript would round becomes a string of its digits. */
export const parseExact = (text: string): unknown =>
  suspicious.test(text) ? JSON.parse(text, exact) : JSON.parse(text)
