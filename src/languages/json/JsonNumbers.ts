/** A number in its JSON notation, which `JSON.stringify` writes unchanged. */
interface RawNumber {
  readonly rawJSON: string
}

// TypeScript's library does not declare these functions yet.
const json = JSON as JSON & { rawJSON(text: string): RawNumber; isRawJSON(value: unknown): value is RawNumber }

export const isRaw = (value: unknown): value is RawNumber => json.isRawJSON(value)

/** The digits of a number without leading and trailing zeros, and how many of them are before the decimal point. */
interface Decimal {
  readonly sign: -1 | 0 | 1
  readonly digits: string
  readonly point: number
}

const decimalOf = (literal: string): Decimal => {
  const [, minus, whole = "", fraction = "", exponent = "0"] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(literal) ?? []
  const all = whole + fraction
  const digits = all.replace(/^0+/, "")
  const point = whole.length - (all.length - digits.length) + Number(exponent)
  const kept = digits.replace(/0+$/, "")
  return kept === "" ? { sign: 0, digits: "", point: 0 } : { sign: minus === "-" ? -1 : 1, digits: kept, point }
}

/** Compares two numbers in JSON notation, of any size. */
export const compareDecimals = (a: string, b: string): number => {
  const [left, right] = [decimalOf(a), decimalOf(b)]
  if (left.sign !== right.sign) return left.sign - right.sign
  if (left.point !== right.point) return (left.point - right.point) * left.sign
  return left.digits === right.digits ? 0 : (left.digits < right.digits ? -1 : 1) * left.sign
}

/** Whether JavaScript's number is exactly the written one: an integer up to 2^53, or a decimal that is not rounded. */
const isExact = (literal: string, value: number): boolean => {
  if (Number.isInteger(value) && !Number.isSafeInteger(value)) return false
  // Fifteen digits always survive the conversion to a double and back.
  if (literal.length <= 15 && !/e/i.test(literal)) return true
  return Number.isFinite(value) && compareDecimals(literal, String(value)) === 0
}

type Read = (text: string) => unknown

/** Makes a JSON reader that replaces some numbers. Texts without such numbers are read at full speed. */
const reading =
  (suspect: RegExp, keeps: (literal: string, value: number) => boolean, other: (literal: string) => unknown): Read =>
  (text) =>
    suspect.test(text)
      ? JSON.parse(text, (_key: string, value: unknown, context?: { readonly source?: string }) =>
          typeof value === "number" && context?.source !== undefined && !keeps(context.source, value)
            ? other(context.source)
            : value
        )
      : JSON.parse(text)

/** Reads JSON. A number that JavaScript would round becomes its digits, as text. Throws a `SyntaxError`. */
export const readDigits: Read = reading(/\d[\d.]{15}|\d[eE]/, isExact, (literal) => literal)

/**
 * Like {@link isExact}, but also true for integers written with an exponent: `1e20` has no more digits than a double.
 */
const comesBack = (literal: string, value: number): boolean => {
  if (literal.length < 16 && !/e[+-]?\d{3}/i.test(literal)) return true
  if (/^-?\d+$/.test(literal)) return Number.isSafeInteger(value)
  return compareDecimals(literal, String(value)) === 0
}

/**
 * Reads a record. A number that would lose digits in JavaScript, or is out of its range, becomes text. Throws a
 * `SyntaxError`.
 */
export const readRecord: Read = reading(/[\d.]{16}|\d[eE][+-]?\d{3}/, comesBack, (literal) => literal)

/** Reads JSON. A number that JavaScript would write differently becomes a {@link RawNumber}. Throws a `SyntaxError`. */
export const readRaw: Read = reading(
  /\d[\d.]{15}|\.\d*0[,}\]]|\.0{6}|\d[eE][-+]?\d{3}/,
  (literal, value) => literal === String(value),
  (literal) => json.rawJSON(literal)
)
