// Runs inside the sandbox, to which its source text is passed: it must not refer to anything outside.

/**
 * Parses `key=value` pairs. A value may be quoted ("…" or '…'); in it, a backslash before a quote is an escape, any
 * other stays. The values of a repeated key become an array. `options.pair` separates pairs (default: blanks),
 * `options.value` key and value (default `=`). Words without that separator are skipped.
 */
export function kv(
  text: unknown,
  options?: { readonly pair?: string; readonly value?: string }
): Record<string, string | Array<string>> {
  const { pair = " ", value: equals = "=" } = options ?? {}
  const line = String(text)
  const found: Record<string, string | Array<string>> = {}
  let at = 0
  /** Quotes that nothing closes from here on. */
  let open = ""
  while (at < line.length) {
    if (line.startsWith(pair, at)) {
      at += pair.length
      continue
    }
    const next = line.indexOf(pair, at)
    const middle = line.indexOf(equals, at)
    if (middle === -1) break
    if (next !== -1 && next < middle) {
      at = next
      continue
    }
    const key = line.slice(at, middle).trim()
    at = middle + equals.length
    let value = ""
    const start = at
    const quote = line[at] ?? ""
    let isQuoted = (quote === '"' || quote === "'") && !open.includes(quote)
    if (isQuoted) {
      at++
      while (at < line.length && line[at] !== quote) {
        let end = at
        while (line[end] === "\\") end++
        const isEscape = line[end] === quote && end > at
        value += isEscape ? line.slice(at, at + Math.floor((end - at) / 2)) : line.slice(at, end + 1)
        if (isEscape && (end - at) % 2 === 1) value += quote
        at = isEscape && (end - at) % 2 === 0 ? end : end + 1
      }
      isQuoted = line[at++] === quote
      if (!isQuoted) open += quote
    }
    // A quote that is not closed is a character like any other.
    if (!isQuoted) {
      at = start
      const end = line.indexOf(pair, at)
      value = (end === -1 ? line.slice(at) : line.slice(at, end)).trim()
      at = end === -1 ? line.length : end
    }
    if (key === "") continue
    const before = Object.hasOwn(found, key) ? found[key] : undefined
    const all = before === undefined ? value : Array.isArray(before) ? [...before, value] : [before, value]
    Object.defineProperty(found, key, { value: all, enumerable: true, writable: true, configurable: true })
  }
  return found
}
