/** Maximum nesting of lists and objects: clients might fail to parse deeper documents. */
const mostLevels = 1000
/** Maximum bytes of a document with all numbers written out. PostgreSQL's answer for one row has to contain it. */
const mostBytes = 8 * 1024 * 1024

const encoder = new TextEncoder()

const isDeep = (json: string): boolean => {
  let level = 0
  for (let at = 0; at < json.length; at++) {
    const code = json.charCodeAt(at)
    if (code === 0x22) {
      do at = json.indexOf('"', at + 1)
      while (isEscaped(json, at))
    } else if (code === 0x5b || code === 0x7b) {
      if (++level > mostLevels) return true
    } else if (code === 0x5d || code === 0x7d) level--
  }
  return false
}

const isEscaped = (json: string, at: number): boolean => {
  let first = at
  while (json[first - 1] === "\\") first--
  return (at - first) % 2 === 1
}

const exponents = /\d[eE]\+?(\d+)(?=[\s,\]}])/g

/** The number of digits that PostgreSQL stores for exponents: `1e21` is written out. */
const writtenOut = (json: string): number => {
  let digits = 0
  for (const [, exponent] of json.matchAll(exponents)) digits += Number(exponent)
  return digits
}

/** Why a JSON document cannot be stored; undefined when it can. */
export const boundsFault = (json: string): string | undefined => {
  // Even with all numbers written out, a document this short is small enough.
  if (json.length < 300) return undefined
  // Every level takes two characters.
  if (json.length > 2 * mostLevels && isDeep(json)) return `the document has more than ${mostLevels} levels`
  const isLarge = json.length * 3 > mostBytes && encoder.encode(json).length > mostBytes
  if (isLarge) return `the document has more than ${mostBytes} bytes`
  if (json.length + writtenOut(json) <= mostBytes) return undefined
  // Ignores texts that contain something like an exponent.
  const numbers = json.replace(/"[^"\\]*(?:\\.[^"\\]*)*"/gs, '""')
  return json.length + writtenOut(numbers) > mostBytes ? "the document has too large numbers" : undefined
}
