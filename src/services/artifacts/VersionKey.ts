/** Separates the parts of a sort key. It sorts below every character that a version may contain. */
const end = "!"

/** A text form of a number that sorts numerically for any length. */
const numberKey = (digits: string): string => {
  const significant = digits.replace(/^0+/, "")
  return String(significant.length).padStart(3, "0") + significant
}

/**
 * The sort key of pre-release identifiers (SemVer 2.0.0, section 11.4): numbers sort below words, fewer identifiers
 * below more.
 */
const preReleaseKey = (text: string): string =>
  text
    .split(".")
    .map((id) => (/^\d+$/.test(id) ? `0${numberKey(id)}` : `1${id}${end}`))
    .join("") + end

/** The format of artifact versions: letters, digits, `.`, `_`, `+`, `~`, `-`, starting with a letter or digit. */
export const versionPattern = /^[A-Za-z0-9][A-Za-z0-9._+~-]{0,127}$/

/**
 * A sort key whose byte order is the order of versions: by SemVer, else by the leading numeric parts (a missing part
 * counts as 0), else as text. A pre-release sorts below its release; a version without a number sorts below all
 * versions with one. Versions that these rules treat as equal (`1.0`, `1.0.0`, `1.0.0+x`) are ordered as text, so
 * different versions have different keys. The key is at most six times as long as the version.
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
