/** PostgreSQL's log with the prefix of time, user, session and process, with the field names of Logstash before ECS. */
export const patterns: Readonly<Record<string, string>> = {
  POSTGRESQL: "%{DATESTAMP:timestamp} %{TZ} %{DATA:user_id} %{GREEDYDATA:connection_id} %{POSINT:pid}"
}
