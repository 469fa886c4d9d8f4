import { patterns as legacy, short } from "../legacy/exim.ts"

/** Exim's main log: arrivals, with the field names of the Elastic Common Schema. */
export const patterns: Readonly<Record<string, string>> = {
  ...legacy,
  EXIM_DATE: String.raw`%{YEAR}-%{MONTHNUM}-%{MONTHDAY} %{TIME}(?: [+-]\d{4})?`,
  EXIM_PID: String.raw`\[%{POSINT:[process][pid]:int}\]`,
  EXIM_REMOTE_HOST:
    String.raw`H=(?:(?!\()${short}%{NOTSPACE:[source][address]} )?(?:\(${short}%{NOTSPACE:[exim][log][remote_address]}\) )?` +
    String.raw`\[%{IP:[source][ip]}\](?::%{POSINT:[source][port]:int})?`,
  EXIM_INTERFACE: String.raw`I=\[%{IP:[destination][ip]}\](?::%{NUMBER:[destination][port]:int})?`,
  EXIM_PROTOCOL: "P=%{NOTSPACE:[network][protocol]}",
  EXIM_MSG_SIZE: "S=%{NUMBER:[exim][log][message][size]:int}",
  EXIM_HEADER_ID: "id=%{NOTSPACE:[exim][log][header_id]}",
  EXIM_QUOTED_CONTENT: String.raw`[^"\\]*(?:\\.[^"\\]*)*`,
  EXIM_SUBJECT: 'T="%{EXIM_QUOTED_CONTENT:[exim][log][message][subject]}"',
  EXIM_UNKNOWN_FIELD:
    String.raw`(?:[A-Za-z\d]{1,8}=(?:%{QUOTEDSTRING}|(?!["'\x60])%{NOTSPACE})|` + String.raw`(?:K|L|PRDR|TFO)(?=\s|$))`,
  EXIM_MESSAGE_ARRIVAL:
    "%{EXIM_DATE:timestamp} (?:%{EXIM_PID} )?%{EXIM_MSGID:[exim][log][message][id]} (?<[exim][log][flags]><=) " +
    "(?:(?<[exim][log][status]>[a-z:]+) )?(?:<>|%{EMAILADDRESS:[exim][log][sender][email]})%{EXIM_NAMED_FIELDS}" +
    "(?: from <%{DATA:[exim][log][sender][original]}>)?(?: for %{EMAILADDRESS:[exim][log][recipient][email]})?"
}
