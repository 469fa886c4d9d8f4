/** PostgreSQL's log with the prefix of time, user, session and process, with the names of the Elastic Common Schema. */
export const patterns: Readonly<Record<string, string>> = {
  POSTGRESQL:
    "%{DATESTAMP:timestamp} %{TZ:[event][timezone]} (?>%{DATA:[user][name]} )" +
    "%{GREEDYDATA:[postgresql][log][connection_id]} %{POSINT:[process][pid]:int}"
}
