/** Text logs of MongoDB before 4.4, with the field names of Logstash before ECS. */
export const patterns: Readonly<Record<string, string>> = {
  MONGO_LOG: String.raw`%{SYSLOGTIMESTAMP:timestamp} \[%{WORD:component}\] %{GREEDYDATA:message}`,
  MONGO_QUERY: String.raw`\{ .*? \}(?= ntoreturn:)`,
  MONGO_SLOWQUERY:
    String.raw`%{WORD} %{MONGO_WORDDASH:database}\.%{MONGO_WORDDASH:collection} %{WORD}: %{MONGO_QUERY:query} ` +
    "%{WORD}:%{NONNEGINT:ntoreturn} %{WORD}:%{NONNEGINT:ntoskip} %{WORD}:%{NONNEGINT:nscanned} " +
    String.raw`.*?nreturned:%{NONNEGINT:nreturned} (?:.* )?(?<duration>\d+)ms`,
  MONGO_WORDDASH: String.raw`\b[\w-]+\b`,
  // Version 4.2 numbers the debug levels.
  MONGO3_SEVERITY: String.raw`(?:[A-Z]\d|\w)`,
  MONGO3_COMPONENT: "(?:%{WORD}|-)",
  MONGO3_LOG:
    "%{TIMESTAMP_ISO8601:timestamp} %{MONGO3_SEVERITY:severity} +%{MONGO3_COMPONENT:component}%{SPACE}" +
    String.raw`(?:\[%{DATA:context}\] )?%{GREEDYDATA:message}`
}
