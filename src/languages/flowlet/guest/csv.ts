// Runs inside the sandbox, to which its source text is passed: it must not refer to anything outside.

/**
 * Parses one CSV record (RFC 4180) to an array of its values, or with `columns` to an object. Values beyond the columns
 * are named `column<n>`. The default of `options.separator` is `,`, that of `options.quote` is `"`.
 */
export function csv(
  text: unknown,
  columns?: ReadonlyArray<string>,
  options?: { readonly separator?: string; readonly quote?: string }
): ReadonlyArray<string> | Record<string, string> {
  const { separator = ",", quote = '"' } = options ?? {}
  const line = String(text).replace(/\r?\n$|\r$/, "")
  const values: Array<string> = []
  let at = 0
  for (;;) {
    let value = ""
    if (quote !== "" && line.startsWith(quote, at)) {
      at += quote.length
      for (;;) {
        const end = line.indexOf(quote, at)
        if (end === -1) throw new Error("the record ends inside a quoted value")
        value += line.slice(at, end)
        at = end + quote.length
        if (!line.startsWith(quote, at)) break
        value += quote
        at += quote.length
      }
    }
    const end = line.indexOf(separator, at)
    value += end === -1 ? line.slice(at) : line.slice(at, end)
    values.push(value)
    if (end === -1) break
    at = end + separator.length
  }
  if (columns === undefined) return values
  const record: Record<string, string> = {}
  for (const [index, value] of values.entries()) record[columns[index] ?? `column${index + 1}`] = value
  return record
}
