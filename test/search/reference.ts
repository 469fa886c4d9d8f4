/**
 * The meaning of Elasticsearch's clauses, written as plainly as possible: for one document, without compilation. It
 * shares no code with the product, so that the two can be compared. It only supports ASCII words.
 */
export interface Doc {
  readonly id: string
  readonly index: string
  readonly source: Readonly<Record<string, unknown>>
}

type Clause = Readonly<Record<string, unknown>>
type Options = Readonly<Record<string, unknown>>

const isObject = (value: unknown): value is Clause =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** The values of each field by its dotted name. */
const leaves = (value: unknown, name = ""): ReadonlyArray<readonly [string, unknown]> => {
  if (Array.isArray(value)) return value.flatMap((one) => leaves(one, name))
  if (!isObject(value)) return value === null ? [] : [[name, value]]
  return Object.entries(value).flatMap(([key, one]) => leaves(one, name === "" ? key : `${name}.${key}`))
}

/** The fields that a name matches, each with its values. */
const fieldsOf = (doc: Doc, name: string): ReadonlyArray<ReadonlyArray<unknown>> => {
  if (name === "_id") return [[doc.id]]
  if (name === "_index") return [[doc.index]]
  const found = new Map<string, Array<unknown>>()
  for (const [field, value] of leaves(doc.source)) found.set(field, [...(found.get(field) ?? []), value])
  const fits = (field: string): boolean => (name.includes("*") ? isLike(field, name) : field === name)
  return [...found].filter(([field]) => fits(field)).map(([, values]) => values)
}

/** Whether a text has the form of a pattern: `*` is anything, `?` one character. */
export const isLike = (text: string, pattern: string): boolean => {
  if (pattern === "") return text === ""
  if (pattern[0] === "*") return isLike(text, pattern.slice(1)) || (text !== "" && isLike(text.slice(1), pattern))
  return text !== "" && (pattern[0] === "?" || pattern[0] === text[0]) && isLike(text.slice(1), pattern.slice(1))
}

const wordsOf = (value: unknown): ReadonlyArray<string> =>
  String(value)
    .toLowerCase()
    .match(/\w+(?:[.']\w+)*/g) ?? []

/** The fewest edits that make one text of the other. */
export const distance = (a: string, b: string, swaps = true): number => {
  const rows = [Array.from({ length: b.length + 1 }, (_, at) => at)]
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const isSame = a[i - 1] === b[j - 1]
      row.push(Math.min(rows[i - 1]![j]! + 1, row[j - 1]! + 1, rows[i - 1]![j - 1]! + (isSame ? 0 : 1)))
      const isSwapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      if (swaps && isSwapped) row[j] = Math.min(row[j]!, rows[i - 2]![j - 2]! + 1)
    }
    rows.push(row)
  }
  return rows[a.length]![b.length]!
}

const editsOf = (fuzziness: unknown, length: number): number => {
  if (!/^auto/i.test(String(fuzziness))) return Number(fuzziness)
  const [low, high] = /:(\d+),(\d+)/.exec(String(fuzziness))?.slice(1).map(Number) ?? [3, 6]
  return length < low! ? 0 : length < high! ? 1 : 2
}

export const isNear = (text: string, wanted: string, options: Options): boolean => {
  const { fuzziness = "AUTO", prefix_length = 0, fuzzy_transpositions = true, transpositions = true } = options
  const kept = Math.min(Number(prefix_length), wanted.length)
  if (!text.startsWith(wanted.slice(0, kept))) return false
  const swaps = fuzzy_transpositions === true && transpositions === true
  const edits = distance(text.slice(kept), wanted.slice(kept), swaps)
  return edits === 0 || (edits <= editsOf(fuzziness, wanted.length) && edits < Math.min(text.length, wanted.length))
}

const minimum = (given: unknown, count: number): number => {
  const of = (spec: string): number => {
    const amount = spec.endsWith("%") ? Math.trunc((Number(spec.slice(0, -1)) * count) / 100) : Number(spec)
    return spec.startsWith("-") ? count + amount : amount
  }
  const spec = String(given)
  if (!spec.includes("<")) return of(spec)
  let least = count
  for (const condition of spec.split(" ")) {
    const [beyond = "", then = ""] = condition.split("<")
    if (count <= Number(beyond)) break
    least = of(then)
  }
  return least
}

const atLeast = (found: ReadonlyArray<boolean>, { operator, minimum_should_match }: Options): boolean => {
  const least = operator === "and" ? found.length : minimum(minimum_should_match ?? 1, found.length)
  return found.filter((one) => one).length >= Math.max(1, least)
}

/** Whether the values of one field match words: the last of them may be the start of one. */
const hasWords = (values: ReadonlyArray<unknown>, text: string, options: Options, openEnd: boolean): boolean => {
  const wanted = wordsOf(text)
  const found = wanted.map((word, at) =>
    values.flatMap(wordsOf).some((one) => {
      if (openEnd && at === wanted.length - 1) return one.startsWith(word)
      return options["fuzziness"] === undefined ? one === word : isNear(one, word, options)
    })
  )
  return found.length > 0 && atLeast(found, options)
}

/** Whether the words can be assigned different positions with few enough moves. All assignments are tried. */
const hasPhrase = (value: unknown, text: string, slop: number, openEnd: boolean): boolean => {
  const words = wordsOf(value)
  const wanted = wordsOf(text)
  const place = (at: number, places: ReadonlyArray<number>): boolean => {
    if (at === wanted.length) {
      const moves = places.map((position, order) => position - order)
      return places.length > 0 && Math.max(...moves) - Math.min(...moves) <= slop
    }
    return words.some((word, position) => {
      const fits = openEnd && at === wanted.length - 1 ? word.startsWith(wanted[at]!) : word === wanted[at]
      return fits && !places.includes(position) && place(at + 1, [...places, position])
    })
  }
  return place(0, [])
}

const bytesOf = (address: string): ReadonlyArray<number> | undefined =>
  /^\d+\.\d+\.\d+\.\d+$/.test(address) ? address.split(".").map(Number) : undefined

const numberOf = (address: string): number | undefined => bytesOf(address)?.reduce((sum, byte) => sum * 256 + byte, 0)

const isIn = (value: unknown, network: unknown): boolean => {
  const [start = "", length = ""] = String(network).split("/")
  const [own, first] = [numberOf(String(value)), numberOf(start)]
  if (own === undefined || first === undefined || length === "") return false
  const size = 2 ** (32 - Number(length))
  return Math.floor(own / size) === Math.floor(first / size)
}

const isBetween = (value: unknown, limits: Options): boolean =>
  Object.entries(limits).every(([bound, limit]) => {
    const pair = [value, limit].map((one) => (typeof one === "number" ? one : numberOf(String(one))))
    const [own, other] = pair
    if (own === undefined || other === undefined) return false
    return { gt: own > other, gte: own >= other, lt: own < other, lte: own <= other }[bound] ?? true
  })

const optionsOf = (inner: unknown, name: string): Options => (isObject(inner) ? inner : { [name]: inner })

/** What a clause asks of the values of one field. */
const fieldClauses: Readonly<Record<string, (values: ReadonlyArray<unknown>, inner: unknown) => boolean>> = {
  exists: (values) => values.length > 0,
  term: (values, inner) => {
    const { value } = optionsOf(inner, "value")
    return values.some((one) => String(one) === String(value) || isIn(one, value))
  },
  prefix: (values, inner) => values.some((one) => String(one).startsWith(String(optionsOf(inner, "value")["value"]))),
  wildcard: (values, inner) => values.some((one) => isLike(String(one), String(optionsOf(inner, "value")["value"]))),
  fuzzy: (values, inner) => {
    const options = optionsOf(inner, "value")
    return values.some((one) => isNear(String(one), String(options["value"]), options))
  },
  range: (values, inner) => values.some((one) => isBetween(one, inner as Options)),
  match: (values, inner) => {
    const options = optionsOf(inner, "query")
    return hasWords(values, String(options["query"]), options, false)
  },
  match_bool_prefix: (values, inner) => {
    const options = optionsOf(inner, "query")
    return hasWords(values, String(options["query"]), options, true)
  },
  match_phrase: (values, inner) => {
    const { query, slop = 0 } = optionsOf(inner, "query")
    return values.some((one) => hasPhrase(one, String(query), Number(slop), false))
  },
  match_phrase_prefix: (values, inner) => {
    const { query, slop = 0 } = optionsOf(inner, "query")
    return values.some((one) => hasPhrase(one, String(query), Number(slop), true))
  }
}

const clausesOf: Readonly<Record<string, string>> = {
  best_fields: "match",
  phrase: "match_phrase",
  phrase_prefix: "match_phrase_prefix",
  bool_prefix: "match_bool_prefix"
}

const multiMatch = (doc: Doc, { fields, type, query, ...options }: Options): boolean => {
  const names = fields as ReadonlyArray<string>
  const inAny = (clause: string, asked: unknown) =>
    names.some((name) => finds({ [clause]: { [name.replace(/\^.*/, "")]: asked } }, doc))
  if (type !== "cross_fields") return inAny(clausesOf[String(type)] ?? "match", { query, ...options })
  const found = wordsOf(query).map((word) => inAny("match", { query: word }))
  return found.length > 0 && atLeast(found, options)
}

const bool = (doc: Doc, { must = [], filter = [], should = [], must_not = [], minimum_should_match }: Options) => {
  const listed = (given: unknown) => (Array.isArray(given) ? given : [given]).map((one) => finds(one as Clause, doc))
  const needed = [...listed(must), ...listed(filter)]
  const optional = listed(should)
  const asked = minimum_should_match === undefined ? 0 : minimum(minimum_should_match, optional.length)
  const least = Math.max(asked, needed.length === 0 && optional.length > 0 ? 1 : 0)
  const enough = optional.filter((one) => one).length >= least
  return needed.every((one) => one) && enough && !listed(must_not).some((one) => one)
}

/** Whether a document matches an Elasticsearch query. */
export const finds = (query: Clause, doc: Doc): boolean => {
  const [[name = "match_all", inner] = []] = Object.entries(query)
  if (name === "match_all") return true
  if (name === "bool") return bool(doc, inner as Options)
  if (name === "constant_score") return finds((inner as { filter: Clause }).filter, doc)
  if (name === "multi_match") return multiMatch(doc, inner as Options)
  if (name === "exists") return fieldsOf(doc, String((inner as Options)["field"])).length > 0
  const [[field = "", asked] = []] = Object.entries(inner as Clause)
  const isMet = fieldClauses[name]
  if (isMet === undefined) throw new Error(`The reference does not know ${name}`)
  return fieldsOf(doc, field).some((values) => isMet(values, asked))
}
