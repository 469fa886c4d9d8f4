/** An entry that has another name than the flowline gave it. */
export interface RenamedEntry {
  readonly entry: string
  readonly as: string
}

/** Windows gives these names to devices, with any extension. */
const device = /^(con|prn|aux|nul|conin\$|conout\$|com[0-9¹²³]|lpt[0-9¹²³])(?= *(?:\.|$))/i

/** Control characters, and those that change the writing direction: with one of these, `exe.txt` may look like `txt.exe`. */
const unsafe = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g

/** Dots, alone or with characters that HFS+ ignores in names. */
const dots = /^[.\u200b-\u200d\u2060-\u206f\ufeff]+$/

/** File systems allow 255 bytes; this leaves room for a number. */
const mostBytes = 240

const shortened = (segment: string): string => {
  if (Buffer.byteLength(segment) <= mostBytes) return segment
  const extension = /\.[A-Za-z0-9]{1,16}$/.exec(segment)?.[0] ?? ""
  let start = ""
  for (const character of segment) {
    if (Buffer.byteLength(start + character + extension) > mostBytes) break
    start += character
  }
  return start + extension
}

/**
 * A relative path that all unpackers and file systems take as it is: no drive, `..`, backslash or control character, no
 * device of Windows, no final dot or blank, no segment that is too long.
 */
export const safeName = (name: string): string => {
  const parts = name
    .toWellFormed()
    .replace(unsafe, "_")
    .split(/[/\\]/)
    .filter((part) => part !== "" && !dots.test(part))
    .map((part) =>
      shortened(part.replace(/[<>:"|?*]/g, "_"))
        .replace(/[. ]+$/, "_")
        .replace(device, "$1_")
    )
  return parts.length === 0 ? "entry" : parts.join("/")
}

/** Names with the same key are one file where case, or the way to write an accent, does not count. */
const keyOf = (name: string): string => name.normalize("NFD").toUpperCase().toLowerCase().normalize("NFC")

const numbered = (segment: string, number: number): string => {
  if (number === 1) return segment
  const dot = segment.lastIndexOf(".")
  const cut = dot > 0 ? dot : segment.length
  return `${segment.slice(0, cut)}-${number}${segment.slice(cut)}`
}

/** The names of an archive's entries. */
export class EntryNames {
  readonly #files = new Set<string>()
  readonly #folders = new Set<string>()
  readonly #renamed: Array<RenamedEntry> = []

  get renamed(): ReadonlyArray<RenamedEntry> {
    return this.#renamed
  }

  /** A safe name that no other entry has, and that is no folder of another one. */
  take(wanted: string): string {
    const segments = safeName(wanted).split("/")
    let path = ""
    for (const [at, segment] of segments.entries()) {
      const isFile = at === segments.length - 1
      for (let number = 1; ; number++) {
        const found = path + numbered(segment, number)
        const key = keyOf(found)
        if (this.#files.has(key) || (isFile && this.#folders.has(key))) continue
        const kept = isFile ? this.#files : this.#folders
        kept.add(key)
        path = isFile ? found : `${found}/`
        break
      }
    }
    if (path !== wanted) this.#renamed.push({ entry: wanted, as: path })
    return path
  }
}
