import { type ConversionFailure, toFloat, toInteger } from "../Coercion.ts"
import { type Fields, fieldPath, getPath, refusedSegment, setPath } from "../FieldPath.ts"
import type { Cuts } from "./Cut.ts"
import type { Parsed, Part } from "./DissectPattern.ts"
import type { Dialect, Key, KeyType } from "./Key.ts"

const yes = new Set(["1", "t", "T", "true", "TRUE", "True"])
const no = new Set(["0", "f", "F", "false", "FALSE", "False"])
const octet = "(?:25[0-5]|2[0-4]\\d|1?\\d?\\d)"
const ipv4 = new RegExp(`^${octet}(?:\\.${octet}){3}$`)

/** An IPv6 address as the URL parser accepts it, including a dotted tail; an address with a zone is not valid. */
const isIpv6 = (text: string): boolean => /^[0-9A-Fa-f:.]+$/.test(text) && URL.canParse(`http://[${text}]/`)

/**
 * The converted value, or undefined when the text does not have that type. Whole numbers may be hexadecimal (`0x…`).
 */
const convert = (value: string, type: KeyType): string | number | boolean | undefined => {
  if (type === "string") return value
  // Trailing padding is ignored.
  const text = value.trimEnd()
  switch (type) {
    case "integer":
    case "int":
    case "long": {
      const hexadecimal = /^([+-]?)(0[xX][0-9A-Fa-f]+)$/.exec(text)
      if (hexadecimal === null) return /^[+-]?\d+$/.test(text) ? toInteger(text) : undefined
      return toInteger(hexadecimal[1] + BigInt(hexadecimal[2]!).toString())
    }
    case "float":
    case "double":
      return toFloat(text)
    case "boolean":
    case "bool":
      return yes.has(text) ? true : no.has(text) ? false : undefined
    case "ip":
      return ipv4.test(text) || isIpv6(text) ? text : undefined
  }
}

interface Appended {
  readonly index: number
  readonly rank: number
  /** The text between this piece and the previous one. */
  readonly joint: string
}

/** An output of a pattern: a plain field, an appended one, or a field whose name comes from the line. */
interface Output {
  readonly name: string
  readonly type: KeyType
  readonly pieces: ReadonlyArray<Appended>
  /** The part whose value is the name of the field. */
  readonly namedBy?: number | undefined
  readonly dynamic: boolean
}

/** Pieces without an order come first: in Elasticsearch in pattern order; in the other dialects the plain key leads. */
const rankOf = ({ kind, order }: Key, dialect: Dialect): number =>
  order ?? (dialect !== "elasticsearch" && kind === "field" ? -2 : -1)

const outputs = ({ leading, parts }: Parsed, dialect: Dialect, separator?: string): ReadonlyArray<Output> => {
  const appended = new Set(parts.filter(({ key }) => key.kind === "append").map(({ key }) => key.name))
  const found = new Map<string, Output & { readonly pieces: Array<Appended> }>()
  const dynamic: Array<Output> = []
  const source = (name: string) => parts.findIndex((part) => part.key.kind !== "value" && part.key.name === name)
  parts.forEach(({ key }: Part, index) => {
    const { kind, name, type } = key
    const before = index === 0 ? leading : parts[index - 1]!.literal
    const joint = separator ?? (before === "" ? " " : before)
    const piece = { index, rank: rankOf(key, dialect), joint }
    if (kind === "value") {
      const from = source(name)
      dynamic.push({ name, type, pieces: [piece], dynamic: true, namedBy: from < 0 ? undefined : from })
    } else if (kind === "field" || kind === "append") {
      const known = found.get(name)
      if (known === undefined) found.set(name, { name, type, pieces: [piece], dynamic: false })
      else if (appended.has(name)) known.pieces.push(piece)
      else known.pieces[0] = piece
    }
  })
  for (const { pieces } of found.values()) pieces.sort((a, b) => a.rank - b.rank)
  return [...found.values(), ...dynamic]
}

type Assemble = (line: string, cuts: Cuts, failures: Array<ConversionFailure>, event?: Fields) => Fields

/** Makes the function that turns cuts into fields: joins appended values, resolves dynamic names, converts types. */
export const assembler = (parsed: Parsed, dialect: Dialect, separator: string | undefined): Assemble => {
  const all = outputs(parsed, dialect, separator ?? (dialect === "elasticsearch" ? "" : undefined))
  const paths = all.map(({ name }) => fieldPath(name))
  return (line, { starts, ends }, failures, event) => {
    const fields: Fields = {}
    const value = (index: number) => line.slice(starts[index], ends[index])
    const fail = (field: string, type: string, text: string, detail: string) =>
      failures.push({ field, type, value: text, detail })
    for (let index = 0; index < all.length; index++) {
      const { name, type, pieces, dynamic, namedBy } = all[index]!
      const text = pieces.map((piece, at) => (at === 0 ? "" : piece.joint) + value(piece.index)).join("")
      let field = name
      let path = paths[index]!
      if (dynamic) {
        const named = namedBy === undefined ? event && getPath(event, path) : value(namedBy)
        // Logstash drops a value without a name.
        if (named === undefined) continue
        field = String(named)
        path = fieldPath(field)
        if (field === "" || refusedSegment(path) !== undefined) {
          fail(name, "name", text, `"${field}", the name for %{&${name}}, cannot be a field name`)
          continue
        }
      }
      const converted = convert(text, type)
      if (converted === undefined) fail(field, type, text, `"${text}" is not of type ${type}`)
      if (!setPath(fields, path, converted ?? text))
        fail(field, "object", text, `field "${field}" clashes with another field`)
    }
    return fields
  }
}
