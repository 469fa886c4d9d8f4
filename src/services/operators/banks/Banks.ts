import { patterns as ecsAws } from "./ecs-v1/aws.ts"
import { patterns as ecsBacula } from "./ecs-v1/bacula.ts"
import { patterns as ecsBind } from "./ecs-v1/bind.ts"
import { patterns as ecsBro } from "./ecs-v1/bro.ts"
import { patterns as ecsJunos } from "./ecs-v1/junos.ts"
import { patterns as ecsNagios } from "./ecs-v1/nagios.ts"
import { patterns as ecsZeek } from "./ecs-v1/zeek.ts"
import { patterns as legacyAws } from "./legacy/aws.ts"
import { patterns as legacyBacula } from "./legacy/bacula.ts"
import { patterns as legacyBind } from "./legacy/bind.ts"
import { patterns as legacyBro } from "./legacy/bro.ts"
import { patterns as legacyJunos } from "./legacy/junos.ts"
import { patterns as legacyNagios } from "./legacy/nagios.ts"

/** Pattern sets: field names as in Logstash before ECS, and those of the Elastic Common Schema. */
export type PatternSet = "legacy" | "ecs-v1"

const topics: Readonly<Record<PatternSet, ReadonlyArray<Readonly<Record<string, string>>>>> = {
  legacy: [legacyAws, legacyBacula, legacyBind, legacyBro, legacyJunos, legacyNagios],
  "ecs-v1": [ecsAws, ecsBacula, ecsBind, ecsBro, ecsJunos, ecsNagios, ecsZeek]
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
