/** What separates the parts of a sort key: below every character that a version may have. */
const end = "!"

/** A number whose text order is its numeric order, whatever its length. */
const numberKey = (digits: string): string => {
  const significant = digits.replace(/^0+/, "")
  return String(significant.length).padStart(3, "0") + significant
}

/** Identifiers of a pre-release (SemVer 2.0.0, section 11.4): numbers below words, fewer below more. */
const preReleaseKey = (text: string): string =>
  text
    .split(".")
    .map((id) => (/^\d+$/.test(id) ? `0${numberKey(id)}` : `1${id}${end}`))
    .join("") + end

/** What an artifact's version may be: letters, digits, `.`, `_`, `+`, `~`, `-`, beginning with a letter or digit. */
export const versionPattern = /^[A-Za-z0-9][A-Za-z0-9._+~-]{0,127}$/

/**
 * A text that sorts, byte by byte, as versions are ordered: by SemVer, else by their leading numeric parts (a missing
 * part is 0), else as text. A pre-release is below its release, what has no number is below all that have one. Two
 * versions never have the same key; versions that are equal by these rules (`1.0`, `1.0.0`, `1.0.0+x`) are ordered as
 * text. At most six times as long as the version.
 */
export const versionKey = (version: string): string => {
  const match = /^v?(\d+(?:\.\d+)*)(.*)$/s.exec(version)
  if (match === null) return `0${version}`
  const parts = match[1]!.split(".").map(numberKey)
  while (parts.length > 1 && parts.at(-1) === "000") parts.pop()
  const suffix = match[2]!
  const plus = suffix.indexOf("+")
  const rest = plus === -1 ? suffix : suffix.slice(0, plus)
  const key = rest === "" ? "b" : rest.startsWith("-") ? `a${preReleaseKey(rest.slice(1))}` : `c${rest}${end}`
  return `1${parts.join("")}${end}${key}${end}${version}`
}
