/** Squid's native access log, with the field names of the Elastic Common Schema. */
export const patterns: Readonly<Record<string, string>> = {
  // Zeros: the client did not receive a status.
  SQUID3_STATUS: "(?:%{POSINT:[http][response][status_code]:int}|0+)",
  SQUID3:
    String.raw`%{NUMBER:timestamp}\s+%{NUMBER:[squid][request][duration]:int}\s+%{IP:[source][ip]}\s+` +
    String.raw`%{WORD:[event][action]}/%{SQUID3_STATUS}\s+%{INT:[http][response][bytes]:int}\s+` +
    String.raw`(?:-|%{WORD:[http][request][method]})\s+%{NOTSPACE:[url][original]}\s+` +
    String.raw`(?:-|%{NOTSPACE:[user][name]})\s+` +
    String.raw`%{WORD:[squid][hierarchy_code]}/(?:-|%{IPORHOST:[destination][address]})\s+` +
    "(?:-|%{NOTSPACE:[http][response][mime_type]})"
}
