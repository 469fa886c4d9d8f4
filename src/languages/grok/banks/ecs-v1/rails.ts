import { patterns as legacy } from "../legacy/rails.ts"

/** Requests in the log of Ruby on Rails, with the field names of the Elastic Common Schema. */
export const patterns: Readonly<Record<string, string>> = {
  ...legacy,
  RCONTROLLER: String.raw`(?<[rails][controller][class]>[A-Za-z_][\w:]{0,255})#(?<[rails][controller][action]>\w+)`,
  RAILS3HEAD:
    'Started %{WORD:[http][request][method]} "%{URIPATHPARAM:[url][original]}" for %{IPORHOST:[source][address]} at ' +
    "(?<timestamp>%{YEAR}-%{MONTHNUM}-%{MONTHDAY} %{HOUR}:%{MINUTE}:%{SECOND} %{ISO8601_TIMEZONE})",
  RPROCESSING:
    String.raw`(?:(?<!\W)\W*|\W{0,63})Processing by %{RCONTROLLER} as(?: (?<[rails][request][format]>\S+)(?!\S))?` +
    String.raw`(?:\W*Parameters: \{%{DATA:[rails][request][params]}\}` +
    String.raw`(?![^\n]*\}[ \t\r]*$|\s*[,}\]]))?\s*(?!\s)`,
  RAILS3FOOT:
    "Completed %{POSINT:[http][response][status_code]:int}%{DATA} in " +
    "%{NUMBER:[rails][request][duration][total]:float}ms ?%{RAILS3PROFILE}%{GREEDYDATA}",
  RAILS3PROFILE:
    String.raw`(?:\(Views: %{NUMBER:[rails][request][duration][view]:float}ms` +
    String.raw`(?:[^()\n]*\| ActiveRecord: %{NUMBER:[rails][request][duration][active_record]:float}ms)?|` +
    String.raw`\(ActiveRecord: %{NUMBER:[rails][request][duration][active_record]:float}ms)?`,
  RAILS3:
    String.raw`%{RAILS3HEAD}(?:%{RPROCESSING})?\s*(?!\s)` +
    String.raw`(?:(?<[rails][request][explain][original]>\S%{DATA}(?<!\s))\s*(?!\s))??(?:%{RAILS3FOOT}|\z)`
}
