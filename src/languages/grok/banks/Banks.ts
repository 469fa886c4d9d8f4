import { patterns as ecsAws } from "./ecs-v1/aws.ts"
import { patterns as ecsBacula } from "./ecs-v1/bacula.ts"
import { patterns as ecsBind } from "./ecs-v1/bind.ts"
import { patterns as ecsBro } from "./ecs-v1/bro.ts"
import { patterns as ecsExim } from "./ecs-v1/exim.ts"
import { patterns as ecsFirewalls } from "./ecs-v1/firewalls.ts"
import { patterns as ecsGrokPatterns } from "./ecs-v1/grok-patterns.ts"
import { patterns as ecsHaproxy } from "./ecs-v1/haproxy.ts"
import { patterns as ecsHttpd } from "./ecs-v1/httpd.ts"
import { patterns as ecsJava } from "./ecs-v1/java.ts"
import { patterns as ecsJunos } from "./ecs-v1/junos.ts"
import { patterns as ecsLinuxSyslog } from "./ecs-v1/linux-syslog.ts"
import { patterns as ecsMaven } from "./ecs-v1/maven.ts"
import { patterns as ecsMcollective } from "./ecs-v1/mcollective.ts"
import { patterns as ecsMongodb } from "./ecs-v1/mongodb.ts"
import { patterns as ecsNagios } from "./ecs-v1/nagios.ts"
import { patterns as ecsPostgresql } from "./ecs-v1/postgresql.ts"
import { patterns as ecsRails } from "./ecs-v1/rails.ts"
import { patterns as ecsRedis } from "./ecs-v1/redis.ts"
import { patterns as ecsRuby } from "./ecs-v1/ruby.ts"
import { patterns as ecsSquid } from "./ecs-v1/squid.ts"
import { patterns as ecsZeek } from "./ecs-v1/zeek.ts"
import { patterns as legacyAws } from "./legacy/aws.ts"
import { patterns as legacyBacula } from "./legacy/bacula.ts"
import { patterns as legacyBind } from "./legacy/bind.ts"
import { patterns as legacyBro } from "./legacy/bro.ts"
import { patterns as legacyExim } from "./legacy/exim.ts"
import { patterns as legacyFirewalls } from "./legacy/firewalls.ts"
import { patterns as legacyGrokPatterns } from "./legacy/grok-patterns.ts"
import { patterns as legacyHaproxy } from "./legacy/haproxy.ts"
import { patterns as legacyHttpd } from "./legacy/httpd.ts"
import { patterns as legacyJava } from "./legacy/java.ts"
import { patterns as legacyJunos } from "./legacy/junos.ts"
import { patterns as legacyLinuxSyslog } from "./legacy/linux-syslog.ts"
import { patterns as legacyMaven } from "./legacy/maven.ts"
import { patterns as legacyMcollective } from "./legacy/mcollective.ts"
import { patterns as legacyMcollectivePatterns } from "./legacy/mcollective-patterns.ts"
import { patterns as legacyMongodb } from "./legacy/mongodb.ts"
import { patterns as legacyNagios } from "./legacy/nagios.ts"
import { patterns as legacyPostgresql } from "./legacy/postgresql.ts"
import { patterns as legacyRails } from "./legacy/rails.ts"
import { patterns as legacyRedis } from "./legacy/redis.ts"
import { patterns as legacyRuby } from "./legacy/ruby.ts"
import { patterns as legacySquid } from "./legacy/squid.ts"

/**
 * The built-in pattern sets: `legacy` has the field names of Logstash before ECS, `ecs-v1` those of the Elastic Common
 * Schema.
 */
export type PatternSet = "legacy" | "ecs-v1"

const topics: Readonly<Record<PatternSet, ReadonlyArray<Readonly<Record<string, string>>>>> = {
  legacy: [
    legacyAws,
    legacyBacula,
    legacyBind,
    legacyBro,
    legacyExim,
    legacyFirewalls,
    legacyGrokPatterns,
    legacyHaproxy,
    legacyHttpd,
    legacyJava,
    legacyJunos,
    legacyLinuxSyslog,
    legacyMaven,
    legacyMcollectivePatterns,
    legacyMcollective,
    legacyMongodb,
    legacyNagios,
    legacyPostgresql,
    legacyRails,
    legacyRedis,
    legacyRuby,
    legacySquid
  ],
  "ecs-v1": [
    ecsAws,
    ecsBacula,
    ecsBind,
    ecsBro,
    ecsExim,
    ecsFirewalls,
    ecsGrokPatterns,
    ecsHaproxy,
    ecsHttpd,
    ecsJava,
    ecsJunos,
    ecsLinuxSyslog,
    ecsMaven,
    ecsMcollective,
    ecsMongodb,
    ecsNagios,
    ecsPostgresql,
    ecsRails,
    ecsRedis,
    ecsRuby,
    ecsSquid,
    ecsZeek
  ]
}

/**
 * Patterns whose time for a line may grow with the square of its length, so that it needs a limit: the text that they
 * look for behind each place where they may begin has no limit of its own, or they repeat fields.
 */
export const quadratic: ReadonlySet<string> = new Set(["SYSLOG5424SD", "EXIM_NAMED_FIELDS", "BRO_HTTP"])

const sets = new Map<PatternSet, ReadonlyMap<string, string>>()

/** All patterns of a set by name, in Oniguruma (Ruby) syntax. */
export const bank = (set: PatternSet): ReadonlyMap<string, string> => {
  const known = sets.get(set)
  if (known !== undefined) return known
  const patterns = new Map(topics[set].flatMap((topic) => Object.entries(topic)))
  sets.set(set, patterns)
  return patterns
}
