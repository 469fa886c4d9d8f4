/** PostgreSQL's log with the prefix of time, user, session and process, with the field names of Logstash before ECS. */
export const patterns: Readonly<Record<string, string>> = {
  // What is behind the first blank can be part of the connection, so that the user never extends over it.
  POSTGRESQL: "%{DATESTAMP:timestamp} %{TZ} (?>%{DATA:user_id} )%{GREEDYDATA:connection_id} %{POSINT:pid}"
}
