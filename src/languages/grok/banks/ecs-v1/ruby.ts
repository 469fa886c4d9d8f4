import { patterns as legacy } from "../legacy/ruby.ts"

/** The standard format of Ruby's Logger, with the field names of the Elastic Common Schema. */
export const patterns: Readonly<Record<string, string>> = {
  ...legacy,
  RUBY_LOGGER:
    String.raw`[DIWEFA], \[%{TIMESTAMP_ISO8601:timestamp} #%{POSINT:[process][pid]:int}\] +` +
    "%{RUBY_LOGLEVEL:[log][level]} --(?> +)%{DATA:[process][name]}: %{GREEDYDATA:message}"
}
