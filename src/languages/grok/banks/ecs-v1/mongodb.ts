import { patterns as legacy } from "../legacy/mongodb.ts"

/** Text logs of MongoDB before 4.4, with the field names of the Elastic Common Schema. */
export const patterns: Readonly<Record<string, string>> = {
  ...legacy,
  MONGO_LOG: String.raw`%{SYSLOGTIMESTAMP:timestamp} \[%{WORD:[mongodb][component]}\] %{GREEDYDATA:message}`,
  MONGO_SLOWQUERY:
    String.raw`%{WORD:[mongodb][profile][op]} %{MONGO_WORDDASH:[mongodb][database]}\.` +
    "%{MONGO_WORDDASH:[mongodb][collection]} %{WORD}: %{MONGO_QUERY:[mongodb][query][original]} " +
    "%{WORD}:%{NONNEGINT:[mongodb][profile][ntoreturn]:int} %{WORD}:%{NONNEGINT:[mongodb][profile][ntoskip]:int} " +
    "%{WORD}:%{NONNEGINT:[mongodb][profile][nscanned]:int} " +
    ".*?nreturned:%{NONNEGINT:[mongodb][profile][nreturned]:int} " +
    "(?:.* )?%{INT:[mongodb][profile][duration]:int}ms",
  // Without a component there is a dash in its place.
  MONGO3_COMPONENT: "%{WORD}",
  MONGO3_LOG:
    "%{TIMESTAMP_ISO8601:timestamp} %{MONGO3_SEVERITY:[log][level]} +(?:-|%{MONGO3_COMPONENT:[mongodb][component]})" +
    String.raw`%{SPACE}(?:\[%{DATA:[mongodb][context]}\] )?%{GREEDYDATA:message}`
}
