import { patterns as audit } from "./mcollective.ts"

/** The logs of MCollective, with the field names of Logstash before ECS. */
export const patterns: Readonly<Record<string, string>> = {
  ...audit,
  MCOLLECTIVE: String.raw`., \[%{TIMESTAMP_ISO8601:timestamp} #%{POSINT:pid}\]%{SPACE}%{LOGLEVEL:event_level}`
}
