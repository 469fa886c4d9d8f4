import { answering, gateway } from "../../app/gateway.ts"

type Answer = Awaited<ReturnType<typeof gateway.operators.patterns>>
export type BankPattern = Answer["patterns"][number]

/** The patterns that a test can refer to. */
export interface Bank {
  readonly patterns: ReadonlyArray<BankPattern>
  readonly byName: ReadonlyMap<string, BankPattern>
  readonly leftOut: ReadonlyArray<string>
}

const kept = new Map<string, Promise<Bank>>()

/** The pattern bank of a tenant. It is loaded again after a minute, and after a failure. */
export const bankOf = (tenant: string, ecs: boolean): Promise<Bank> => {
  const key = `${tenant} ${ecs}`
  const known = kept.get(key)
  if (known !== undefined) return known
  const query = {
    ...(tenant === "" ? {} : { tenant }),
    ecsCompatibility: ecs ? ("v1" as const) : ("disabled" as const)
  }
  const made = answering(() => gateway.operators.patterns({ query })).then(({ patterns, leftOut }) => ({
    patterns,
    leftOut,
    byName: new Map(patterns.map((pattern) => [pattern.name, pattern]))
  }))
  kept.set(key, made)
  const forget = () => void kept.delete(key)
  made.then(() => setTimeout(forget, 60_000), forget)
  return made
}

const definition = /^\s*([A-Za-z0-9_]+)\s+(.+)$/

/** The bank combined with the definitions of the test, which take precedence. */
export const withDefinitions = (bank: Bank, definitions: string): Bank => {
  const own = definitions.split(/\r?\n/).flatMap((line): ReadonlyArray<BankPattern> => {
    const [, name, regex] = definition.exec(line) ?? []
    return name === undefined || regex === undefined ? [] : [{ name, regex, source: "definitions" }]
  })
  if (own.length === 0) return bank
  const byName = new Map(bank.byName)
  for (const pattern of own) byName.set(pattern.name, pattern)
  return { ...bank, byName, patterns: [...byName.values()].sort((one, other) => (one.name < other.name ? -1 : 1)) }
}

/** A pattern with those that it refers to. */
export interface Expansion {
  readonly name: string
  readonly regex: string
  readonly parts: ReadonlyArray<Expansion>
}

const reference = /%\{([A-Za-z0-9_]+)/g

/** Maximum depth and number of names that an expansion shows. */
const deepest = 12
const most = 300

/** The expansion of a pattern: a tree of the patterns that it refers to. */
export const expansion = (bank: Bank, name: string): Expansion | undefined => {
  let count = 0
  const expand = (wanted: string, trail: ReadonlyArray<string>): Expansion | undefined => {
    const found = bank.byName.get(wanted)
    if (found === undefined || trail.includes(wanted) || trail.length >= deepest || ++count > most) return undefined
    const names = new Set([...found.regex.matchAll(reference)].map(([, one = ""]) => one))
    return {
      name: wanted,
      regex: found.regex,
      parts: [...names].flatMap((one) => expand(one, [...trail, wanted]) ?? [])
    }
  }
  return expand(name, [])
}

/**
 * The patterns whose name, example or expression contains all words of the query. Names that start with it come first.
 */
export const search = (bank: Bank, query: string): ReadonlyArray<BankPattern> => {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean)
  // The most common patterns have examples.
  if (words.length === 0) {
    const rare = ({ example, source }: BankPattern) => Number(example === undefined && source === undefined)
    return bank.patterns.toSorted((one, other) => rare(one) - rare(other))
  }
  const rank = ({ name }: BankPattern): number => {
    const lower = name.toLowerCase()
    return lower === words[0] ? 0 : lower.startsWith(words[0]!) ? 1 : lower.includes(words[0]!) ? 2 : 3
  }
  return bank.patterns
    .filter(({ name, regex, example = "" }) => {
      const text = `${name} ${example} ${regex}`.toLowerCase()
      return words.every((word) => text.includes(word))
    })
    .toSorted((one, other) => rank(one) - rank(other))
}
