import { compareDecimals, isRaw, readRaw } from "../../src/languages/json/JsonNumbers.ts"

/** Whether two values of `readRaw` are the same JSON; numbers by their value, all digits counted. */
export const isSame = (a: unknown, b: unknown): boolean => {
  const digits = (value: unknown) => (isRaw(value) ? value.rawJSON : typeof value === "number" ? String(value) : "")
  if (digits(a) !== "" || digits(b) !== "") {
    return digits(a) !== "" && digits(b) !== "" && compareDecimals(digits(a), digits(b)) === 0
  }
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return a === b
  if (Array.isArray(a) !== Array.isArray(b)) return false
  const [left, right] = [new Map(Object.entries(a)), new Map(Object.entries(b))]
  return left.size === right.size && [...left].every(([key, value]) => right.has(key) && isSame(value, right.get(key)))
}

/** Random numbers of a seed (mulberry32): the same ones every time. */
export const randomOf = (seed: number) => {
  let state = seed >>> 0
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
  const below = (limit: number): number => Math.floor(next() * limit)
  const pick = <A>(from: ReadonlyArray<A>): A => from[below(from.length)]!
  const some = <A>(most: number, make: () => A): Array<A> => Array.from({ length: below(most + 1) }, make)
  return { below, pick, some, chance: (part: number) => next() < part }
}
export type Random = ReturnType<typeof randomOf>

const texts = [
  "",
  "a",
  "A",
  "error",
  "Error: disk full",
  "disk  full, error!",
  "GET /a/b?c=1",
  "10.0.0.1",
  "10.0.0.1 connected",
  "can't stop",
  "été ÉTÉ",
  "straße",
  "日本語 テキスト",
  "新日本語abc",
  "本.a",
  "😀 smile",
  "x\u0000y",
  "\ud800",
  "\ue0f1",
  "\ufeffa\ufffd",
  "a*b",
  "a\\b",
  'say "hi"',
  "line one\nline two",
  "5",
  "5.0",
  "-5",
  "true",
  "2001:db8:0::1",
  "2001:0DB8::0:1",
  "::ffff:10.0.0.1",
  "1::2::3",
  "error full of disk errors",
  "2026-03-10",
  "2026-03-10T14:12:27Z",
  "2026-03-10T14:12:27.5+02:00",
  "2026-02-30",
  "2026-03-11 00:00:00",
  "$v0",
  '") || true'
]
const dates = texts.slice(texts.indexOf("2026-03-10"))

/** Numbers as JSON has them: also those that JavaScript would round. */
const numbers = [
  ...["0", "1", "5", "-5", "2.5", "1e21", "404", "1773151947000", "0.1", "5.0", "-0.50", "1773151947000.9999999999999"],
  ...["9007199254740993", "9007199254740992", "-9223372036854775808", "0.1000000000000000000000000000001"]
].map(readRaw)
const names = ["a", "b", "c", "b.c", "a.b", "0", 'q"x', "é", "x y", "@timestamp"]

const scalar = (random: Random): unknown => {
  const kind = random.below(10)
  if (kind < 5) return random.pick(texts)
  if (kind < 8) return random.pick(numbers)
  return random.pick([true, false, null])
}

const value = (random: Random, depth: number): unknown => {
  const kind = random.below(10)
  if (depth > 3 || kind < 6) return scalar(random)
  if (kind < 8) return random.some(3, () => value(random, depth + 1))
  return object(random, depth + 1)
}

const object = (random: Random, depth: number): Record<string, unknown> =>
  Object.fromEntries(random.some(4, () => [random.pick(names), value(random, depth)] as const))

export const document = (random: Random): Record<string, unknown> => ({
  ...object(random, 0),
  ...(random.chance(0.7) ? { "@timestamp": random.pick([...dates, 1_773_151_947_000, null]) } : {})
})

export const fields = [
  "a",
  "b",
  "c",
  "a.b",
  "b.c",
  "a.b.c",
  "a.a.a.a.b",
  'q"x',
  "é",
  "x y",
  "@timestamp",
  "*",
  "a.*",
  "0",
  "none"
]
const given = (random: Random) => (random.chance(0.7) ? random.pick(texts) : random.pick([...numbers, true, false]))
const cut = (random: Random, text: string) => text.slice(0, random.below(text.length + 1))

const wild = (random: Random): string => {
  const text = [...random.pick(texts)]
    .map((character) => (random.chance(0.2) ? random.pick(["*", "?"]) : character))
    .join("")
  return random.chance(0.3) ? `*${text}*` : text
}

const range = (random: Random): object => {
  const kind = random.below(4)
  const bound = () =>
    kind === 0
      ? random.pick(numbers)
      : kind === 1
        ? random.pick(["now-1y/d", "2026-03-10", "2026-03", "2026-03-10T14:12:27Z", "2026-03-01||+10d/d"])
        : kind === 2
          ? random.pick(["1773151947000", 1_773_151_947_000, 0])
          : random.pick(texts)
  return {
    ...(random.chance(0.5) ? { [random.pick(["gt", "gte"])]: bound() } : {}),
    ...(random.chance(0.5) ? { [random.pick(["lt", "lte"])]: bound() } : {}),
    ...(kind === 2 ? { format: "epoch_millis" } : {}),
    ...(kind === 1 && random.chance(0.3) ? { time_zone: random.pick(["+02:00", "Europe/Paris"]) } : {})
  }
}

/** Patterns of names, and fields that no document has as a member. */
const otherFields = ["a*", "*b", "*.c", "b.*", "*a*c*", "_id", "_index"]

const addresses = ["10.0.0.0/8", "10.0.0.1/32", "2001:db8::/32", "2001:DB8::1", "::ffff:10.0.0.1", "0.0.0.0/0"]

const regexps = [
  "[a-e]*r+.*",
  "a.c|b?",
  "\\w+(-\\w+)*",
  '"10."(0\\.){1,3}[^a]',
  "disk @",
  "(a|b|é){1,9}.*",
  "\\d*.?\\d+"
]

const word = (random: Random): string =>
  random.pick([
    "eror~",
    "disk~1",
    "5~",
    '"full disk"~2',
    '"error disk"~3',
    "/dis[kc]|[0-9]+/",
    "/.*o.*/",
    "a\\*:error",
    "_exists_:*c",
    "_index:t-1",
    "_id:d1?",
    "[1 TO 5]",
    ">2026-01-01",
    "[10.0.0.0 TO 10.0.0.255]",
    "10.0.0.0\\/8",
    "error",
    "disk",
    '"disk full"',
    "dis*",
    "10.0.0.1",
    "5",
    "true",
    "*",
    "_exists_:b",
    "b.c:5",
    "a:>2",
    "c:[a TO f}",
    "c:e?r*",
    "été",
    "日本",
    '"本 abc"'
  ])

const text = (random: Random, depth = 0): string =>
  Array.from({ length: 1 + random.below(3) }, () => {
    const one = depth < 2 && random.chance(0.2) ? `(${text(random, depth + 1)})` : word(random)
    return `${random.pick(["", "", "", "NOT ", "+", "-"])}${one}`
  }).join(random.pick([" ", " AND ", " OR ", " || ", " && "]))

const phrases = ["full error", "error full", "disk error full", "full of", "b.c a", "本 日", "smile 😀", "error error"]

/** A random query, most of which can be understood. */
export const query = (random: Random, depth = 0): object => {
  const field = random.chance(0.8) ? random.pick(fields) : random.pick(otherFields)
  switch (random.below(depth > 2 ? 17 : 20)) {
    case 0:
      return { term: { [field]: given(random) } }
    case 1:
      return { terms: { [field]: random.some(random.chance(0.2) ? 80 : 4, () => given(random)) } }
    case 2:
      return { term: { [field]: { value: given(random), case_insensitive: true } } }
    case 3:
      return { range: { [field]: range(random) } }
    case 4:
      return { exists: { field } }
    case 5:
      return { prefix: { [field]: { value: cut(random, random.pick(texts)), case_insensitive: random.chance(0.5) } } }
    case 6:
      return { wildcard: { [field]: { value: wild(random), case_insensitive: random.chance(0.5) } } }
    case 7:
      return { match: { [field]: { query: given(random), operator: random.pick(["or", "and"]) } } }
    case 8:
      return { match_phrase: { [field]: given(random) } }
    case 9:
      return {
        multi_match: {
          query: given(random),
          fields: random.some(3, () => random.pick([...fields, ...otherFields])),
          type: random.pick(["best_fields", "phrase", "cross_fields", "bool_prefix", "phrase_prefix"]),
          minimum_should_match: random.pick(["1", "50%", "-1", "2<75%"])
        }
      }
    case 10:
      return { ids: { values: random.some(5, () => `d${random.below(100)}`) } }
    case 11:
      return { [random.pick(["query_string", "simple_query_string"])]: { query: text(random) } }
    case 12:
      return {
        [random.pick(["match_phrase_prefix", "match_bool_prefix"])]: { [field]: cut(random, random.pick(texts)) }
      }
    case 13:
      return { match_phrase: { [field]: { query: random.pick(phrases), slop: random.below(4) } } }
    case 14:
      return {
        [random.pick(["match", "match_bool_prefix"])]: {
          [field]: {
            query: random.pick(["eror dsik", "conected", "srtaße 日本", "10.0.0.2", ...texts]),
            fuzziness: random.pick(["AUTO", 0, 1, "2", "AUTO:2,4"]),
            ...(random.chance(0.3) ? { prefix_length: random.below(3) } : {}),
            ...(random.chance(0.3) ? { fuzzy_transpositions: false } : {}),
            ...(random.chance(0.5) ? { minimum_should_match: random.pick([1, 2, "-1", "50%"]) } : {})
          }
        }
      }
    case 15:
      return random.chance(0.5)
        ? { regexp: { [field]: { value: random.pick(regexps), case_insensitive: random.chance(0.5) } } }
        : { fuzzy: { [field]: { value: random.pick(["eror", "tru", "dsik", "", ...texts]) } } }
    case 16:
      return random.chance(0.5)
        ? { terms: { [field]: random.some(3, () => random.pick(addresses)) } }
        : { constant_score: { filter: query(random, depth + 1) } }
    default: {
      const clauses = () => random.some(3, () => query(random, depth + 1))
      return {
        bool: {
          ...(random.chance(0.5) ? { must: clauses() } : {}),
          ...(random.chance(0.3) ? { filter: clauses() } : {}),
          ...(random.chance(0.5) ? { should: clauses() } : {}),
          ...(random.chance(0.4) ? { must_not: clauses() } : {}),
          ...(random.chance(0.3) ? { minimum_should_match: random.pick([0, 1, 2, "50%", -1]) } : {})
        }
      }
    }
  }
}
