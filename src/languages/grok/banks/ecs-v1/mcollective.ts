import { patterns as audit } from "../legacy/mcollective.ts"

/** The logs of MCollective, with the field names of the Elastic Common Schema. */
export const patterns: Readonly<Record<string, string>> = {
  ...audit,
  MCOLLECTIVE: String.raw`., \[%{TIMESTAMP_ISO8601:timestamp} #%{POSINT:[process][pid]:int}\]%{SPACE}%{LOGLEVEL:[log][level]}`
}
