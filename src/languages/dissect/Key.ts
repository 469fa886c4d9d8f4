/** The dialect for keys and appending; `elasticsearch` is the default. */
export type Dialect = "elasticsearch" | "logstash" | "beats"

const types = ["string", "integer", "int", "long", "float", "double", "boolean", "bool", "ip"] as const
export type KeyType = (typeof types)[number]

/**
 * One `%{…}`: a field, an appended piece (`+`), a skipped value, or the name (`*`) or the value (`&`) of a dynamic
 * field. `order` is n of `+name/n`, `padded` is `->`, `width` is n of Beats' `#n`.
 */
export interface Key {
  readonly kind: "field" | "append" | "skip" | "name" | "value"
  readonly name: string
  readonly order?: number
  readonly padded: boolean
  readonly type: KeyType
  readonly width?: number
}

const kinds = { "+": "append", "*": "name", "&": "value", "?": "skip" } as const

/** Parses a key. A string result describes the fault. */
export const readKey = (text: string, dialect: Dialect): Key | string => {
  const typed = /\|([^|]*?)(->)?$/.exec(text)
  const type = typed === null ? "string" : types.find((known) => known === typed[1])
  if (type === undefined) return `unknown type "${typed![1]}" (known: ${types.join(", ")})`
  const untyped = typed === null ? text : text.slice(0, typed.index) + (typed[2] ?? "")
  const padded = untyped.endsWith("->")
  const sized = /#(\d+)$/.exec(padded ? untyped.slice(0, -2) : untyped)
  const bare = padded ? untyped.slice(0, -2) : untyped
  const isSized = dialect === "beats" && sized !== null
  const body = isSized ? bare.slice(0, sized.index) : bare
  const width = isSized ? { width: Number(sized[1]) } : {}
  const prefix = /^[+*&?]/.exec(body)?.[0] as keyof typeof kinds | undefined
  const rest = prefix === undefined ? body : body.slice(1)
  if (/^[+*&?]/.test(rest)) return "multiple modifiers are not allowed"
  const kind = prefix === undefined ? (body === "" ? "skip" : "field") : kinds[prefix]
  const ordered = /^(.*)\/(\d+)$/s.exec(rest)
  if (ordered !== null && kind !== "append") return 'an order ("/n") needs the append modifier ("+")'
  if (ordered === null && dialect !== "logstash" && /[+*&?/]/.test(rest)) return "a key's name contains a modifier"
  const name = ordered === null ? rest : ordered[1]!
  if (name === "" && kind !== "skip") return "the key has no name"
  const order = ordered === null ? {} : { order: Number(ordered[2]) }
  return { kind, name, padded, type, ...order, ...width }
}
