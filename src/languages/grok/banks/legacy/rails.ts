/** Requests in the log of Ruby on Rails, several lines each, with the field names of Logstash before ECS. */
export const patterns: Readonly<Record<string, string>> = {
  RUUID: String.raw`\h{32}`,
  RCONTROLLER: String.raw`(?<controller>[A-Za-z_][\w:]{0,255})#(?<action>\w+)`,

  RAILS3HEAD:
    'Started %{WORD:verb} "%{URIPATHPARAM:request}" for %{IPORHOST:clientip} at ' +
    "(?<timestamp>%{YEAR}-%{MONTHNUM}-%{MONTHDAY} %{HOUR}:%{MINUTE}:%{SECOND} %{ISO8601_TIMEZONE})",
  // Hashes nest. The brace at the end of the line closes the parameters, or else one that no value can follow.
  // A search begins at the first of a run of blanks and punctuation, not at each of them.
  RPROCESSING:
    String.raw`(?:(?<!\W)\W*|\W{0,63})Processing by %{RCONTROLLER} as(?: (?<format>\S+)(?!\S))?` +
    String.raw`(?:\W*Parameters: \{%{DATA:params}\}(?![^\n]*\}[ \t\r]*$|\s*[,}\]]))?\s*(?!\s)`,
  RAILS3FOOT: "Completed %{NUMBER:response}%{DATA} in %{NUMBER:totalms}ms ?%{RAILS3PROFILE}%{GREEDYDATA}",
  RAILS3PROFILE:
    String.raw`(?:\(Views: %{NUMBER:viewms}ms(?:[^()\n]*\| ActiveRecord: %{NUMBER:activerecordms}ms)?|` +
    String.raw`\(ActiveRecord: %{NUMBER:activerecordms}ms)?`,

  // Blanks between the parts are matched possessively; otherwise the ways to match them would multiply.
  RAILS3:
    String.raw`%{RAILS3HEAD}(?:%{RPROCESSING})?\s*(?!\s)` +
    String.raw`(?:(?<context>\S%{DATA}(?<!\s))\s*(?!\s))??(?:%{RAILS3FOOT}|\z)`
}
