// Runs inside the sandbox, to which its source text is passed: it must not refer to anything outside.

/**
 * Parses a time. Returns ISO 8601 in UTC with milliseconds, or null when the text does not match. `format` is `ISO8601`
 * (default), `UNIX`, `UNIX_MS`, or letters as in Java: `dd/MMM/yyyy:HH:mm:ss Z`, with literal text in quotes.
 * `options.zone` (`UTC`, `+02:00`) is for formats without a zone, `options.year` for formats without a year, because
 * there is no clock.
 */
export function date(
  text: unknown,
  format = "ISO8601",
  options?: { readonly zone?: string; readonly year?: number }
): string | null {
  const names = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
  const isMonth =
    /^(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sep(?:t(?:ember)?)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\.?$/i
  const isWeekday =
    /^(?:mon(?:day)?|tue(?:s(?:day)?)?|wed(?:s|nesday)?|thu(?:r(?:s(?:day)?)?)?|fri(?:day)?|sat(?:urday)?|sun(?:day)?)\.?$/i
  const zoneMinutes = (zone: string): number => {
    if (/^(z|utc|gmt)$/i.test(zone)) return 0
    const parts = /^([+-])(0\d|1[0-8]):?([0-5]\d)$/.exec(zone)
    if (parts === null) throw new Error(`"${zone}" is not a zone such as UTC or +02:00`)
    return (parts[1] === "-" ? -1 : 1) * (Number(parts[2]) * 60 + Number(parts[3]))
  }
  // The years 1 to 9999.
  const iso = (millis: number): string | null =>
    millis >= -62135596800000 && millis <= 253402300799999 ? new Date(millis).toISOString() : null
  const thousandths = (digits = ""): number => Number(digits.slice(0, 3).padEnd(3, "0"))
  const source = String(text).trim()
  if (format === "UNIX" || format === "UNIX_MS") {
    const parts = /^([+-]?)(\d{1,15})(?:\.(\d+))?$/.exec(source)
    if (parts === null) return null
    const millis = format === "UNIX" ? Number(parts[2]) * 1000 + thousandths(parts[3]) : Number(parts[2])
    // Milliseconds as seconds are out of range.
    return iso(parts[1] === "-" ? -millis : millis)
  }
  const digits: Record<string, string> = { yyyy: "\\d{4}", yy: "\\d\\d", MM: "\\d\\d", M: "\\d{1,2}", dd: "\\d\\d" }
  const parts: Array<string> = []
  let pattern = ""
  const take = (kind: string, regex: string): void => {
    parts.push(kind)
    pattern += `(${regex})`
  }
  const layout =
    format === "ISO8601"
      ? /^[+-]?\d{4}-\d\d-\d\d$/.test(source)
        ? "yyyy-MM-dd"
        : `yyyy-MM-dd'${source[10] === " " ? " " : "T"}'HH:mm${/:\d\d:\d\d/.test(source) ? ":ss" : ""}${
            /:\d\d:\d\d[.,]\d/.test(source) ? `'${/:\d\d,/.test(source) ? "," : "."}'S` : ""
          }${/(Z|[+-]\d\d:?\d\d)$/i.test(source.slice(11)) ? "Z" : ""}`
      : format
  for (const [token, quoted] of layout.matchAll(/'((?:[^']|'')*)'|([A-Za-z])\2*|[^A-Za-z']+/g)) {
    const letter = token[0]!
    if (token === "''") pattern += "'"
    else if (quoted !== undefined || !/[A-Za-z]/.test(letter)) {
      const literal = (quoted?.replaceAll("''", "'") ?? token).replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&")
      pattern += literal.replace(/[ \u00a0\u202f]+/g, "[ \\u00a0\\u202f]+")
    } else if (letter === "y") take("y", token.length === 2 ? digits["yy"]! : digits["yyyy"]!)
    else if (letter === "M") take("M", token.length > 2 ? "[A-Za-z]{3,9}\\.?" : (digits[token] ?? "\\d\\d"))
    else if (letter === "d" || letter === "H" || letter === "h" || letter === "m" || letter === "s") {
      take(letter, token.length === 1 ? "\\d{1,2}" : "\\d\\d")
    } else if (letter === "S") take("S", "\\d{1,9}")
    else if (letter === "a") take("a", "[AaPp][Mm]")
    else if (letter === "E") take("E", "[A-Za-z]{3,9}\\.?")
    else if (letter === "Z" || letter === "X" || letter === "x" || letter === "z")
      take("Z", "Z|z|UTC|GMT|[+-]\\d\\d:?\\d\\d")
    else throw new Error(`"${token}" in the format is not a known field; put text in quotes`)
  }
  const match = new RegExp(`^${pattern}$`).exec(source)
  if (match === null) return null
  const value: Record<string, string> = {}
  for (const [index, kind] of parts.entries()) value[kind] = match[index + 1]!
  const number = (kind: string, otherwise: number): number =>
    value[kind] === undefined ? otherwise : Number(value[kind])
  if (value["y"] === undefined && options?.year === undefined) {
    throw new Error("the format has no year and there is no clock: give { year }")
  }
  const year =
    number("y", options?.year ?? 0) + (value["y"]?.length === 2 ? (Number(value["y"]) < 70 ? 2000 : 1900) : 0)
  const monthText = value["M"] ?? "1"
  const month = isMonth.test(monthText) ? names.indexOf(monthText.slice(0, 3).toLowerCase()) + 1 : Number(monthText)
  if (Number.isNaN(month) || (value["E"] !== undefined && !isWeekday.test(value["E"]))) return null
  const day = number("d", 1)
  const afternoon = value["a"]?.toLowerCase() === "pm"
  const hour = value["h"] === undefined ? number("H", 0) : (number("h", 0) % 12) + (afternoon ? 12 : 0)
  const minute = number("m", 0)
  const second = number("s", 0)
  const millis = thousandths(value["S"])
  const midnight = new Date(0).setUTCFullYear(year, month - 1, day)
  // A day that does not exist would be one of the next month.
  if (month < 1 || month > 12 || new Date(midnight).getUTCDate() !== day) return null
  if (hour > 23 || Number(value["h"] ?? 0) > 12 || minute > 59 || second > 60) return null
  if (/^[+-]/.test(value["Z"] ?? "") && !/^.(0\d|1[0-8]):?[0-5]\d$/.test(value["Z"]!)) return null
  const zone = zoneMinutes(value["Z"] ?? options?.zone ?? "UTC")
  return iso(midnight + ((hour * 60 + minute - zone) * 60 + second) * 1000 + millis)
}
