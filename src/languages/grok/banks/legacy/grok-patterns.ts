// There is only one way to match each octet: two ways for each of four octets would be sixteen.
const octet = String.raw`(?:25[0-5]|2[0-4]\d|[01]\d\d|\d\d?)`
const ipv4 = String.raw`${octet}(?:\.${octet}){3}`

/** What may follow `::` with `room` groups left; an IPv4 address takes two. */
const afterGap = (room: number): string => {
  if (room === 0) return ""
  const groups = String.raw`\h{1,4}(?::\h{1,4}){0,${room - 1}}`
  return room === 1 ? `(?:${groups})?` : String.raw`(?:(?:\h{1,4}:){0,${room - 2}}${ipv4}|${groups})?`
}

/**
 * The rest of an IPv6 address after `count` groups with their colons. The next characters decide every step, so the
 * number of steps is linear. @see https://www.rfc-editor.org/rfc/rfc4291#section-2.2
 */
const ipv6After = (count: number): string => {
  if (count === 7) return String.raw`(?:\h{1,4}|:)`
  const gap = `${count === 0 ? "::" : ":"}${afterGap(7 - count)}`
  const mixed = count === 6 ? `${ipv4}|` : ""
  return String.raw`(?:${mixed}\h{1,4}:${ipv6After(count + 1)}|${gap})`
}

const label = String.raw`[A-Za-z\d][A-Za-z\d-]{0,62}`
const mailCharacter = "[\\w!#$%&'*+/=?^`{|}~-]"

/** Levels, with the shorter forms that loggers print: `inf`, `war`, `er`, `cri`. */
const levels = [
  ...["alert", "trace", "debug", "notice", "info?(?:rmation(?:al)?)?", "warn?(?:ing)?", "err?(?:or)?"],
  ...["crit?(?:ical)?", "fatal", "severe", "emerg(?:ency)?"]
]

/** The general patterns, with the field names of Logstash before ECS. */
export const patterns: Readonly<Record<string, string>> = {
  USERNAME: String.raw`[\w.-]+`,
  USER: "%{USERNAME}",
  // RFC 5321: at most 64 octets in all; a dot and the part before it leave 62 for the next part.
  EMAILLOCALPART: String.raw`${mailCharacter}{1,64}(?:\.${mailCharacter}{1,62}){0,63}`,
  EMAILADDRESS: "%{EMAILLOCALPART}@%{HOSTNAME}",
  INT: String.raw`[+-]?\d+`,
  // Never a part of a longer number: no digit, point or sign before it, and no digit after it.
  BASE10NUM: String.raw`(?<![\d.+-])[+-]?(?:\d+(?:\.\d+(?!\d)|(?!\d|\.\d))|\.\d+(?!\d))`,
  NUMBER: "%{BASE10NUM}",
  BASE16NUM: String.raw`(?<!\h)[+-]?(?:0x)?\h+`,
  BASE16FLOAT: String.raw`\b(?<![\h.])[+-]?(?:0x)?(?:\h+(?:\.\h*)?|\.\h+)\b`,
  POSINT: String.raw`\b[1-9]\d*\b`,
  NONNEGINT: String.raw`\b\d+\b`,
  WORD: String.raw`\b\w+\b`,
  NOTSPACE: String.raw`\S+`,
  SPACE: String.raw`\s*`,
  DATA: ".*?",
  GREEDYDATA: ".*",
  // A string ends at its first unescaped quote, so there is only one way to match it and no backtracking.
  QUOTEDSTRING:
    "(?<!\\\\)(?:\"[^\"\\\\]*(?:\\\\.[^\"\\\\]*)*\"|'[^'\\\\]*(?:\\\\.[^'\\\\]*)*'|`[^`\\\\]*(?:\\\\.[^`\\\\]*)*`)",
  UUID: String.raw`\h{8}(?:-\h{4}){3}-\h{12}`,
  // RFC 8141, section 2, in lower case; the namespace has at most 32 characters.
  URN: String.raw`urn:[A-Za-z\d][A-Za-z\d-]{0,31}:(?:[\w()+,.:=@;$!*'/?#~&-]|%\h{2})+`,

  MAC: "(?:%{CISCOMAC}|%{WINDOWSMAC}|%{COMMONMAC})",
  CISCOMAC: String.raw`\h{4}(?:\.\h{4}){2}`,
  WINDOWSMAC: String.raw`\h{2}(?:-\h{2}){5}`,
  COMMONMAC: String.raw`\h{2}(?::\h{2}){5}`,
  // No boundary at the colon: `[IPv6:…]` and `address:port` are common. The zone is RFC 4007's.
  IPV6: String.raw`(?<!\w)${ipv6After(0)}(?!\w)(?:%[\w.~-]+)?`,
  IPV4: String.raw`(?<!\d)${ipv4}(?!\d)`,
  // No text can start with both, so the more common one is first.
  IP: "(?:%{IPV4}|%{IPV6})",
  // RFC 1035: labels of 63, names of at most 127 labels; the bounds also keep a failed search linear.
  HOSTNAME: String.raw`\b${label}(?:\.${label}){0,126}\.?`,
  IPORHOST: "(?:%{IP}|%{HOSTNAME})",
  HOSTPORT: "%{IPORHOST}:%{POSINT}",

  PATH: "(?:%{UNIXPATH}|%{WINPATH})",
  UNIXPATH: "/[[:alnum:]_%!$@:.,+~/-]*",
  TTY: String.raw`/dev/(?:pts|tty)\w*(?:/\d+|(?<=\d))`,
  WINPATH: String.raw`(?:[A-Za-z]{1,32}:|\\)\\[^?*]*`,
  // A single letter would be a drive. The limit keeps searches in long words linear.
  URIPROTO: String.raw`[A-Za-z][A-Za-z\d+.-]{1,63}`,
  URIHOST: String.raw`(?:\[(?=\h*:)%{IPORHOST}\]|%{IPORHOST})(?::%{POSINT:port})?`,
  URIPATH: String.raw`/[\w$.+!*'(){},~:;=@#%&/-]*`,
  URIPARAM: String.raw`\?[\w$.+!*'|(){},~@#%&/=:;?\-\[\]<>]*`,
  URIPATHPARAM: "%{URIPATH}(?:%{URIPARAM})?",
  URI: String.raw`%{URIPROTO}://(?:%{USER}(?::[^\s/@]*)?@)?(?:%{URIHOST})?(?:%{URIPATHPARAM})?`,

  // English and German, in full and short.
  MONTH:
    String.raw`\b(?:[Jj]an(?:uary?)?|[Ff]eb(?:ruary?)?|[Mm](?:ar(?:ch|z)?|ärz?|rz)|[Aa]pr(?:il)?|[Mm]a[yi]|` +
    "[Jj]un[ei]?|[Jj]ul[yi]?|[Aa]ug(?:ust)?|[Ss]ept?(?:ember)?|[Oo][ck]t(?:ober)?|[Nn]ov(?:ember)?|" +
    String.raw`[Dd]e[cz](?:ember)?)\b`,
  MONTHNUM: "(?:1[0-2]|0?[1-9])",
  MONTHNUM2: "(?:1[0-2]|0[1-9])",
  MONTHDAY: String.raw`(?:3[01]|[12]\d|0?[1-9])`,
  DAY: "(?:Mon(?:day)?|Tue(?:sday)?|Wed(?:nesday)?|Thu(?:rsday)?|Fri(?:day)?|Sat(?:urday)?|Sun(?:day)?)",
  YEAR: String.raw`\d\d(?:\d\d)?`,
  HOUR: String.raw`(?:2[0-3]|[01]?\d)`,
  MINUTE: String.raw`[0-5]\d`,
  // 60 is a leap second.
  SECOND: String.raw`(?:60|[0-5]?\d)(?:[.,:]\d+)?`,
  TIME: String.raw`%{HOUR}:%{MINUTE}:%{SECOND}(?!\d)`,
  DATE_US: "%{MONTHNUM}[/-]%{MONTHDAY}[/-]%{YEAR}",
  DATE_EU: "%{MONTHDAY}[./-]%{MONTHNUM}[./-]%{YEAR}",
  // Without minutes, as PostgreSQL writes it, the hours have two digits, and no further part of a time may follow.
  ISO8601_TIMEZONE: String.raw`(?:Z|[+-]%{HOUR}(?::?%{MINUTE}|(?<=\d\d)(?![\d:])))`,
  ISO8601_SECOND: "%{SECOND}",
  TIMESTAMP_ISO8601: "%{YEAR}-%{MONTHNUM}-%{MONTHDAY}[T ]%{HOUR}:?%{MINUTE}(?::?%{SECOND})?(?:%{ISO8601_TIMEZONE})?",
  DATE: "(?:%{DATE_US}|%{DATE_EU})",
  DATESTAMP: "%{DATE}[- ]%{TIME}",
  TZ: "(?:UTC|GMT|(?:AK|[APMCENH])[SD]T|AE[SD]T|[CEW]ES?T|[BIJKM]ST|MSK)",
  DATESTAMP_RFC822: "%{DAY} %{MONTH} %{MONTHDAY} %{YEAR} %{TIME} %{TZ}",
  DATESTAMP_RFC2822: "%{DAY}, %{MONTHDAY} %{MONTH} %{YEAR} %{TIME} %{ISO8601_TIMEZONE}",
  DATESTAMP_OTHER: "%{DAY} %{MONTH} %{MONTHDAY} %{TIME} %{TZ} %{YEAR}",
  DATESTAMP_EVENTLOG: "%{YEAR}%{MONTHNUM2}%{MONTHDAY}%{HOUR}%{MINUTE}%{SECOND}",

  SYSLOGTIMESTAMP: "%{MONTH} +%{MONTHDAY} %{TIME}",
  // Printable ASCII without the brackets that enclose the process id.
  PROG: String.raw`[!-Z\\^-~]+`,
  SYSLOGPROG: String.raw`%{PROG:program}(?:\[%{POSINT:pid}\])?`,
  SYSLOGHOST: "%{IPORHOST}",
  SYSLOGFACILITY: String.raw`<%{NONNEGINT:facility}\.%{NONNEGINT:priority}>`,
  HTTPDATE: "%{MONTHDAY}/%{MONTH}/%{YEAR}:%{TIME} %{INT}",

  QS: "%{QUOTEDSTRING}",
  SYSLOGBASE: "%{SYSLOGTIMESTAMP:timestamp} (?:%{SYSLOGFACILITY} )?%{SYSLOGHOST:logsource} %{SYSLOGPROG}:",
  LOGLEVEL: `(?:${levels.map((level) => `[${level[0]!.toUpperCase()}${level[0]}]${level.slice(1)}|${level.toUpperCase()}`).join("|")})`
}
