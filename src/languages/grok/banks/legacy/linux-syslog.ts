/** Lines of syslog daemons (RFC 3164 files, RFC 5424), PAM and cron, with the field names of Logstash before ECS. */
export const patterns: Readonly<Record<string, string>> = {
  SYSLOG5424PRINTASCII: "[!-~]+",

  SYSLOGBASE2:
    "(?:%{SYSLOGTIMESTAMP:timestamp}|%{TIMESTAMP_ISO8601:timestamp8601}) (?:%{SYSLOGFACILITY} )?" +
    "%{SYSLOGHOST:logsource}(?: %{SYSLOGPROG}:)?",
  // Newer PAM versions print the uid after the name: `for user root(uid=0) by (uid=0)`.
  SYSLOGPAMSESSION:
    String.raw`%{SYSLOGBASE} (?=%{GREEDYDATA:message})%{WORD:pam_module}\(%{DATA:pam_caller}\): ` +
    String.raw`session %{WORD:pam_session_state} for user %{USERNAME:username}(?:\(uid=\d+\))?` +
    "(?: by %{GREEDYDATA:pam_by})?",

  CRON_ACTION: "[A-Za-z]+(?: [A-Za-z]+)*",
  // The command may contain brackets; a bracket at the end of the line closes the message.
  CRONLOG: String.raw`%{SYSLOGBASE} \(%{USER:user}\) %{CRON_ACTION:action} \(%{DATA:message}\)(?![^\n]*\)[ \t]*$)`,

  SYSLOGLINE: "%{SYSLOGBASE2} %{GREEDYDATA:message}",

  SYSLOG5424PRI: "<%{NONNEGINT:syslog5424_pri}>",
  // One or more elements without blanks between them; a bracket in a value is escaped.
  SYSLOG5424SD: String.raw`\[%{DATA}(?<!\\)\](?![\[\]])`,
  SYSLOG5424BASE:
    "%{SYSLOG5424PRI}%{NONNEGINT:syslog5424_ver} +(?:-|%{TIMESTAMP_ISO8601:syslog5424_ts}) +" +
    "(?:-|%{IPORHOST:syslog5424_host}) +(?:-|%{SYSLOG5424PRINTASCII:syslog5424_app}) +" +
    "(?:-|%{SYSLOG5424PRINTASCII:syslog5424_proc}) +(?:-|%{SYSLOG5424PRINTASCII:syslog5424_msgid})" +
    "(?: +(?:%{SYSLOG5424SD:syslog5424_sd}|-(?![^ ])))?",
  // The message is optional.
  SYSLOG5424LINE: "%{SYSLOG5424BASE}(?: +%{GREEDYDATA:syslog5424_msg}|$)"
}
