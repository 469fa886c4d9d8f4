/** The standard format of Ruby's Logger, with the field names of Logstash before ECS. */
export const patterns: Readonly<Record<string, string>> = {
  RUBY_LOGLEVEL: "(?:DEBUG|INFO|WARN|ERROR|FATAL|ANY)",
  RUBY_LOGGER:
    String.raw`[DIWEFA], \[%{TIMESTAMP_ISO8601:timestamp} #%{POSINT:pid}\] +%{RUBY_LOGLEVEL:loglevel} --(?> +)` +
    "%{DATA:progname}: %{GREEDYDATA:message}"
}
