import { patterns as legacy } from "../legacy/linux-syslog.ts"

/** Lines of syslog daemons, PAM and cron, with the field names of the Elastic Common Schema. */
export const patterns: Readonly<Record<string, string>> = {
  ...legacy,
  SYSLOGBASE2:
    "(?:%{SYSLOGTIMESTAMP:timestamp}|%{TIMESTAMP_ISO8601:timestamp})(?: %{SYSLOGFACILITY})?" +
    "(?: %{SYSLOGHOST:[host][hostname]})?(?: %{SYSLOGPROG}:)?",
  SYSLOGPAMSESSION:
    "%{SYSLOGBASE} (?=%{GREEDYDATA:message})%{WORD:[system][auth][pam][module]}" +
    String.raw`\(%{DATA:[system][auth][pam][origin]}\): session %{WORD:[system][auth][pam][session_state]} ` +
    String.raw`for user %{USERNAME:[user][name]}(?:\(uid=\d+\))?(?: by %{GREEDYDATA})?`,
  CRONLOG:
    String.raw`%{SYSLOGBASE} \(%{USER:[user][name]}\) %{CRON_ACTION:[system][cron][action]} ` +
    String.raw`\(%{DATA:message}\)(?![^\n]*\)[ \t]*$)`,
  SYSLOG5424PRI: "<%{NONNEGINT:[log][syslog][priority]:int}>",
  // A process id that is not a number is legal, but has no field in the schema.
  SYSLOG5424BASE:
    "%{SYSLOG5424PRI}%{NONNEGINT:[system][syslog][version]} +(?:-|%{TIMESTAMP_ISO8601:timestamp}) +" +
    "(?:-|%{IPORHOST:[host][hostname]}) +(?:-|%{SYSLOG5424PRINTASCII:[process][name]}) +" +
    "(?:-|%{POSINT:[process][pid]:int}|%{SYSLOG5424PRINTASCII}) +(?:-|%{SYSLOG5424PRINTASCII:[event][code]})" +
    "(?: +(?:%{SYSLOG5424SD:[system][syslog][structured_data]}|-(?![^ ])))?",
  SYSLOG5424LINE: "%{SYSLOG5424BASE}(?: +%{GREEDYDATA:message}|$)"
}
