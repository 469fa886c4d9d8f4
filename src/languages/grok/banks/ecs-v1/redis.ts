import { patterns as legacy } from "../legacy/redis.ts"

/** The log of Redis and the output of its MONITOR command, with the field names of the Elastic Common Schema. */
export const patterns: Readonly<Record<string, string>> = {
  ...legacy,
  REDISLOG: String.raw`\[?%{POSINT:[process][pid]:int}(?:\]|:[CMSX]) %{REDISTIMESTAMP:timestamp} [.*#-] ?`,
  REDISMONLOG:
    String.raw`%{NUMBER:timestamp} \[%{INT:[redis][database][id]} ` +
    String.raw`(?:\[?%{IP:[client][ip]}\]?:%{POSINT:[client][port]:int}|lua|unix:[^\]]*)\] ` +
    '"%{WORD:[redis][command][name]}"(?: |$)%{GREEDYDATA:[redis][command][args]}'
}
