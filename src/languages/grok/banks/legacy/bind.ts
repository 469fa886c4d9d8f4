/**
 * Query log of BIND 9, fields as in Logstash before ECS.
 *
 * Version 9.11 and later print the client's memory address (`@0x…`). Older versions omit the name in brackets or the
 * server's own address; the view is only printed if views are used. The groups are atomic: each greedy text ends at the
 * last occurrence of its terminator, without backtracking.
 */
export const patterns: Readonly<Record<string, string>> = {
  BIND9_TIMESTAMP: "%{MONTHDAY}-%{MONTH}-%{YEAR} %{TIME}",
  BIND9: [
    "%{BIND9_TIMESTAMP:timestamp} queries: %{LOGLEVEL:loglevel}: client(?: @0x[0-9A-Fa-f]+)? ",
    String.raw`%{IP:clientip}#%{POSINT:clientport}(?> \(%{GREEDYDATA:query}\)(?=: ))?: (?:view \S+: )?query: `,
    String.raw`(?>%{GREEDYDATA:query} IN )%{GREEDYDATA:querytype}(?: \(%{IP:dns}\)|(?<![)\s])\s*\z)`
  ].join("")
}
