import { samples as aws } from "./aws.ts"
import { samples as bacula } from "./bacula.ts"
import { samples as baculaJobs } from "./bacula-jobs.ts"
import { samples as bind } from "./bind.ts"
import { samples as bro } from "./bro.ts"
import { samples as cisco1 } from "./cisco-1.ts"
import { samples as cisco3 } from "./cisco-3.ts"
import { samples as cisco4 } from "./cisco-4.ts"
import { samples as ciscoParts } from "./cisco-parts.ts"
import { edges } from "./device-edges.ts"
import type { Sample } from "./expected.ts"
import { samples as firewalls } from "./firewalls.ts"
import { samples as junos } from "./junos.ts"
import { samples as nagios } from "./nagios.ts"
import { samples as zeek } from "./zeek.ts"

const whole: Readonly<Record<string, ReadonlyArray<Sample>>> = {
  aws,
  bacula: [...bacula, ...baculaJobs],
  bind,
  bro,
  firewalls: [...firewalls, ...ciscoParts, ...cisco1, ...cisco3, ...cisco4],
  junos,
  nagios,
  zeek
}

/** The samples of each topic. */
export const topics: Readonly<Record<string, ReadonlyArray<Sample>>> = Object.fromEntries(
  Object.entries(whole).map(([topic, samples]) => [topic, [...samples, ...(edges[topic] ?? [])]])
)
