import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { parseQuery } from "../../src/languages/query/QueryParser.ts"
import { holds } from "../memory/Evaluate.ts"
import { type Random, randomOf } from "./generated.ts"
import { type Doc, finds } from "./reference.ts"

const vocabulary = [
  "disk",
  "disc",
  "dsik",
  "full",
  "fully",
  "ful",
  "of",
  "error",
  "errors",
  "a",
  "ab",
  "ba",
  "10",
  "can't"
]
const addresses = ["10.0.0.1", "10.0.1.200", "10.1.0.0", "192.168.0.1", "9.255.255.255"]
const names = ["host_name", "user_name", "host", "user.name", "user.ip", "tags", "n"]

const sentence = (random: Random, most = 6): string => {
  const words = Array.from({ length: 1 + random.below(most) }, () => random.pick(vocabulary))
  return words.map((word) => (random.chance(0.2) ? word.toUpperCase() : word)).join(random.pick([" ", ", ", " - "]))
}

const documentOf = (random: Random): Doc => {
  const text = () => (random.chance(0.7) ? sentence(random) : random.pick([...addresses, ...vocabulary]))
  const source: Record<string, unknown> = {}
  for (const name of ["host_name", "user_name", "host", "tags"]) if (random.chance(0.5)) source[name] = text()
  if (random.chance(0.4)) source["tags"] = [text(), text()]
  if (random.chance(0.6)) source["user"] = { name: text(), ip: random.pick(addresses) }
  if (random.chance(0.5)) source["n"] = random.below(9)
  return { id: random.pick(["one", "two"]), index: random.pick(["t-logs", "t-old"]), source }
}

const patterns = ["*", "*_name", "user.*", "*na*", "h*", "*.ip", "*st", "none*"]
const fieldOf = (random: Random) => (random.chance(0.6) ? random.pick(names) : random.pick(patterns))
const some = (random: Random, options: object): object => (random.chance(0.4) ? options : {})

const wordOptions = (random: Random) => ({
  ...some(random, { operator: "and" }),
  ...some(random, { minimum_should_match: random.pick(["2", "-1", "50%", "-40%", "1<75%"]) })
})
const fuzzyOptions = (random: Random, swaps: string) => ({
  fuzziness: random.pick(["AUTO", "AUTO:2,4", 0, 1, 2, "2"]),
  ...some(random, { prefix_length: 1 + random.below(3) }),
  ...some(random, { [swaps]: false })
})

const leaf = (random: Random): Record<string, unknown> => {
  const field = fieldOf(random)
  const words = () => sentence(random, 3)
  switch (random.below(11)) {
    case 0:
      return { exists: { field } }
    case 1:
      return {
        term: { [field]: random.pick([...vocabulary, ...addresses, "10.0.0.0/16", "10.0.0.0/8", "10.0.0.128/25"]) }
      }
    case 2:
      return { prefix: { [field]: random.pick(["di", "f", "10.", "o"]) } }
    case 3:
      return { wildcard: { [field]: { value: random.pick(["d?s*", "*full", "*o*", "??", "10.*.1"]) } } }
    case 4:
      return { fuzzy: { [field]: { value: random.pick(vocabulary), ...fuzzyOptions(random, "transpositions") } } }
    case 5:
      return random.chance(0.5)
        ? { range: { [random.pick(["user.ip", "host", "*ip"])]: { gt: "10.0.0.1", lte: "10.1.0.0" } } }
        : { range: { [random.pick(["n", "*"])]: { gte: random.below(5), lt: 7 } } }
    case 6:
      return {
        match: {
          [field]: {
            query: words(),
            ...wordOptions(random),
            ...some(random, fuzzyOptions(random, "fuzzy_transpositions"))
          }
        }
      }
    case 7:
      return { match_bool_prefix: { [field]: { query: words(), ...wordOptions(random) } } }
    case 8:
      return { match_phrase: { [field]: { query: words(), slop: random.below(5) } } }
    case 9:
      return { match_phrase_prefix: { [field]: { query: words(), ...some(random, { slop: random.below(4) }) } } }
    default: {
      const type = random.pick(["best_fields", "cross_fields", "phrase", "phrase_prefix", "bool_prefix"])
      const fields = [fieldOf(random), `${fieldOf(random)}^2`]
      return { multi_match: { query: words(), type, fields, ...wordOptions(random) } }
    }
  }
}

const queryOf = (random: Random, depth = 0): Record<string, unknown> => {
  if (depth > 1 || random.chance(0.7)) return leaf(random)
  if (random.chance(0.1)) return { constant_score: { filter: queryOf(random, depth + 1), boost: 2 } }
  const clauses = (part: string) => some(random, { [part]: random.some(3, () => queryOf(random, depth + 1)) })
  return {
    bool: {
      ...clauses("must"),
      ...clauses("should"),
      ...clauses("must_not"),
      ...some(random, { minimum_should_match: random.pick([0, 1, 2, "50%", "-1", "-30%", "1<-50%"]) })
    }
  }
}

const found = (query: unknown, { id, index, source }: Doc): boolean => {
  const parsed = parseQuery(query, 0)
  if (Result.isFailure(parsed)) throw new Error(`${JSON.stringify(query)}: ${JSON.stringify(parsed.failure)}`)
  return holds(parsed.success, { id, index, at: "0", value: source })
}

/** A clause of a query text, as it is written and as it is meant. */
interface Written {
  readonly text: string
  readonly holds: (doc: Doc) => boolean
}

const anywhere = (clause: string, asked: unknown) => (doc: Doc) => finds({ [clause]: { "*": asked } }, doc)
const anyOf = (given: ReadonlyArray<Written>) => (doc: Doc) => given.some((one) => one.holds(doc))

const unit = (random: Random, depth: number, inner: (random: Random, depth: number) => Written): Written => {
  const kind = random.below(depth > 1 ? 6 : 8)
  const word = random.pick(vocabulary.filter((one) => /^\w+$/.test(one)))
  if (kind === 0) {
    const slop = random.below(4)
    const query = sentence(random, 3)
    return { text: `"${query}"~${slop}`, holds: anywhere("match_phrase", { query, slop }) }
  }
  if (kind === 1) {
    const edits = random.below(3)
    return { text: `${word}~${edits}`, holds: anywhere("match", { query: word, fuzziness: edits }) }
  }
  if (kind === 2) return { text: `${word}*`, holds: anywhere("match_bool_prefix", word) }
  if (kind < 6) return { text: word, holds: anywhere("match", word) }
  const group = inner(random, depth + 1)
  return { text: `(${group.text})`, holds: group.holds }
}

/** A text of `query_string`: a sequence of required, forbidden and optional clauses. */
const sequence = (random: Random, depth = 0): Written & { readonly optional: ReadonlyArray<Written> } => {
  const parts = Array.from({ length: 1 + random.below(4) }, () => {
    const sign = random.pick(["", "", "", "+", "-", "NOT "])
    return { sign, one: unit(random, depth, sequence) }
  })
  const of = (...signs: ReadonlyArray<string>) => parts.flatMap(({ sign, one }) => (signs.includes(sign) ? [one] : []))
  const [must, optional, mustNot] = [of("+"), of(""), of("-", "NOT ")]
  return {
    text: parts.map(({ sign, one }) => sign + one.text).join(" "),
    optional,
    holds: (doc) =>
      must.every((one) => one.holds(doc)) &&
      !anyOf(mustNot)(doc) &&
      (must.length > 0 || optional.length === 0 || anyOf(optional)(doc))
  }
}

/** A text of `simple_query_string`: each operator joins all before it with the next clause. */
const chain = (random: Random, depth = 0): Written =>
  Array.from({ length: 1 + random.below(4) }, () => {
    const one = unit(random, depth, chain)
    return random.chance(0.3) ? { text: `-${one.text}`, holds: (doc: Doc) => !one.holds(doc) } : one
  }).reduce((before, one) => {
    const sign = random.pick([" ", " | ", " + ", "+", " +"])
    const isAnd = sign.includes("+")
    return {
      text: before.text + sign + one.text,
      holds: (doc) => (isAnd ? before.holds(doc) && one.holds(doc) : before.holds(doc) || one.holds(doc))
    }
  })

const runs = 400

describe("a query", () => {
  const compare = (make: (random: Random) => readonly [query: unknown, holds: (doc: Doc) => boolean], seed: number) => {
    const random = randomOf(seed)
    let both = 0
    for (let run = 0; run < runs; run++) {
      const [query, expected] = make(random)
      const documents = Array.from({ length: 6 }, () => documentOf(random))
      const matched = documents.filter((doc) => {
        assert.strictEqual(found(query, doc), expected(doc), `${JSON.stringify(query)} on ${JSON.stringify(doc)}`)
        return expected(doc)
      })
      if (matched.length > 0 && matched.length < documents.length) both++
    }
    // Queries that find nothing, or everything, prove little.
    assert.isAbove(both, runs / 5)
  }

  it("means what Elasticsearch's does", () => {
    compare((random) => {
      const query = queryOf(random)
      return [query, (doc) => finds(query, doc)]
    }, 9)
  })

  it("of a text means its clauses, with operators and a minimum", () => {
    compare((random) => {
      const { text, holds, optional } = sequence(random)
      if (!random.chance(0.3) || optional.length < 2) return [{ query_string: { query: text } }, holds]
      const enough = (doc: Doc) => holds(doc) && optional.filter((one) => one.holds(doc)).length >= 2
      return [{ query_string: { query: text, minimum_should_match: 2 } }, enough]
    }, 10)
  })

  it("of a simple text joins clauses from left to right, and `-` is one of them", () => {
    compare((random) => {
      const { text, holds } = chain(random)
      return [{ simple_query_string: { query: text } }, holds]
    }, 11)
  })
})
