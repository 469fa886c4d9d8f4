/** Pattern sets: field names as in Logstash before ECS, and those of the Elastic Common Schema. */
export type PatternSet = "legacy" | "ecs-v1"

const topics: Readonly<Record<PatternSet, ReadonlyArray<Readonly<Record<string, string>>>>> = {
  legacy: [],
  "ecs-v1": []
}

const sets = new Map<PatternSet, ReadonlyMap<string, string>>()

/** All patterns of a set by name, in Oniguruma (Ruby) syntax. */
export const bank = (set: PatternSet): ReadonlyMap<string, string> => {
  const known = sets.get(set)
  if (known !== undefined) return known
  const patterns = new Map(topics[set].flatMap((topic) => Object.entries(topic)))
  sets.set(set, patterns)
  return patterns
}
