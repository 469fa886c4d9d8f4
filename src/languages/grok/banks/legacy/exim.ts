const id = "[A-Za-z\\d]"

/** Ahead of a name: SMTP's lines are not longer, and the search behind each `H=` is not either. */
export const short = String.raw`(?=\S{1,512} )`

/**
 * Exim's main log: arrivals, with the field names of Logstash before ECS.
 * @see https://www.exim.org/exim-html-current/doc/html/spec_html/ch-log_files.html
 */
export const patterns: Readonly<Record<string, string>> = {
  // Longer since 4.97.
  EXIM_MSGID: `${id}{6}-(?:${id}{6}-${id}{2}|${id}{11}-${id}{4})`,
  EXIM_FLAGS: String.raw`(?:<=|\(=|[=>*-]>|\*\*|==)`,
  EXIM_DATE: String.raw`%{YEAR:exim_year}-%{MONTHNUM:exim_month}-%{MONTHDAY:exim_day} %{TIME:exim_time}(?: [+-]\d{4})?`,
  EXIM_PID: String.raw`\[%{POSINT:pid}\]`,
  EXIM_QT: String.raw`(?:(?:\d{1,9}[ywdhm]){1,5}(?:\d{1,9}(?:\.\d+)?s)?|\d{1,9}(?:\.\d+)?s)`,
  EXIM_EXCLUDE_TERMS:
    "(?:Message is frozen|(?:Start|End) queue run| Warning: |retry time not reached|no immediate delivery: |" +
    "no (?:IP address|host name) found for (?:IP address|host)|another process is handling this message|" +
    "unexpected disconnection while reading SMTP command)",

  // The verified name, the name of HELO in brackets, the address.
  EXIM_REMOTE_HOST:
    String.raw`H=(?:(?!\()${short}%{NOTSPACE:remote_hostname} )?(?:\(${short}%{NOTSPACE:remote_heloname}\) )?` +
    String.raw`\[%{IP:remote_host}\](?::%{POSINT:remote_port})?`,
  EXIM_INTERFACE: String.raw`I=\[%{IP:exim_interface}\](?::%{NUMBER:exim_interface_port})?`,
  EXIM_PROTOCOL: "P=%{NOTSPACE:protocol}",
  EXIM_MSG_SIZE: "S=%{NUMBER:exim_msg_size}",
  EXIM_HEADER_ID: "id=%{NOTSPACE:exim_header_id}",
  EXIM_SUBJECT: "T=%{QS:exim_subject}",
  EXIM_UNKNOWN_FIELD:
    String.raw`(?:[A-Za-z\d]{1,8}=(?:"[^"\\]*(?:\\.[^"\\]*)*"|(?!")%{NOTSPACE})|` +
    String.raw`(?:K|L|PRDR|TFO)(?=\s|$))`,
  // There is only one way to match each field; otherwise the ways to match a line would double with every field.
  EXIM_NAMED_FIELDS:
    "(?: (?:%{EXIM_REMOTE_HOST}|%{EXIM_INTERFACE}|%{EXIM_PROTOCOL}|%{EXIM_MSG_SIZE}|%{EXIM_HEADER_ID}|" +
    String.raw`%{EXIM_SUBJECT}|(?!H=[^=]*\[|I=\[|P=|S=\d|id=|T=["'\x60])%{EXIM_UNKNOWN_FIELD}))*`,

  // A bounce has no sender.
  EXIM_MESSAGE_ARRIVAL:
    "%{EXIM_DATE:timestamp} (?:%{EXIM_PID} )?%{EXIM_MSGID:exim_msgid} (?<exim_flags><=) " +
    "(?:(?<exim_status>[a-z:]+) )?(?:<>|%{EMAILADDRESS:exim_sender_email})%{EXIM_NAMED_FIELDS}" +
    "(?: from <[^>]*>)?(?: for %{EMAILADDRESS:exim_recipient_email})?",
  EXIM: "%{EXIM_MESSAGE_ARRIVAL}"
}
