import { patterns as legacy } from "../legacy/httpd.ts"

/** Access and error logs of Apache's httpd, with the field names of the Elastic Common Schema. */
export const patterns: Readonly<Record<string, string>> = {
  ...legacy,
  HTTPD_COMMONLOG:
    "%{IPORHOST:[source][address]} (?:-|%{HTTPDUSER:[apache][access][user][identity]}) " +
    String.raw`(?:-|%{HTTPDUSER:[user][name]}) \[%{HTTPDATE:timestamp}\] ` +
    '"(?:%{WORD:[http][request][method]} %{NOTSPACE:[url][original]}(?: HTTP/%{NUMBER:[http][version]})?|%{DATA})" ' +
    "(?:-|%{INT:[http][response][status_code]:int}) (?:-|%{INT:[http][response][body][bytes]:int})",
  // A quote in a header is escaped.
  HTTPD_COMBINEDLOG:
    String.raw`%{HTTPD_COMMONLOG} "(?:-|%{DATA:[http][request][referrer]})(?<!\\)" ` +
    String.raw`"(?:-|%{DATA:[user_agent][original]})(?<!\\)"`,
  HTTPD20_ERRORLOG:
    String.raw`\[%{HTTPDERROR_DATE:timestamp}\] \[%{LOGLEVEL:[log][level]}\] ` +
    String.raw`(?:\[client %{IPORHOST:[source][address]}\] )?%{GREEDYDATA:message}`,
  // Debug messages have their place in the source after the thread.
  HTTPD24_ERRORLOG:
    String.raw`\[%{HTTPDERROR_DATE:timestamp}\] \[(?:%{WORD:[apache][error][module]})?:%{LOGLEVEL:[log][level]}\d?\] ` +
    String.raw`\[pid %{POSINT:[process][pid]:int}(?::tid %{INT:[process][thread][id]:int})?\](?: [\w./-]+\(\d+\):)?` +
    String.raw`(?: \(%{POSINT:[apache][error][proxy][error][code]}\)%{DATA:[apache][error][proxy][error][message]}:)?` +
    String.raw`(?: \[client %{IPORHOST:[source][address]}(?::%{POSINT:[source][port]:int})?\])?` +
    String.raw`(?: (?=[^\s:]+: )%{DATA:[error][code]}:)? %{GREEDYDATA:message}`
}
