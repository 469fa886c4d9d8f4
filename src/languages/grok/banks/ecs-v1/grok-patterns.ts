import { patterns as legacy } from "../legacy/grok-patterns.ts"

/** The general patterns, with the field names of the Elastic Common Schema. */
export const patterns: Readonly<Record<string, string>> = {
  ...legacy,
  URIHOST: String.raw`(?:\[(?=\h*:)%{IPORHOST}\]|%{IPORHOST})(?::%{POSINT})?`,
  URIQUERY: String.raw`[\w$.+!*'|(){},~@#%&/=:;?\-\[\]<>]*`,
  URIPARAM: String.raw`\?%{URIQUERY}`,
  URIPATHPARAM: String.raw`%{URIPATH}(?:\?%{URIQUERY})?`,
  URI: String.raw`%{URIPROTO}://(?:%{USER}(?::[^\s/@]*)?@)?(?:%{URIHOST})?(?:%{URIPATH}(?:\?%{URIQUERY})?)?`,
  SYSLOGPROG: String.raw`%{PROG:[process][name]}(?:\[%{POSINT:[process][pid]:int}\])?`,
  SYSLOGFACILITY: "<%{NONNEGINT:[log][syslog][facility][code]:int}[.]%{NONNEGINT:[log][syslog][priority]:int}>",
  SYSLOGBASE: "%{SYSLOGTIMESTAMP:timestamp} (?:%{SYSLOGFACILITY} )?%{SYSLOGHOST:[host][hostname]} %{SYSLOGPROG}:"
}
