/**
 * Query log of BIND 9, fields by the Elastic Common Schema. The legacy bank describes the differences between versions.
 */

import { patterns as legacy } from "../legacy/bind.ts"

/** Record types of the IANA registry that BIND prints by name; any other is `TYPE` and its number. */
const recordTypes = [
  ["A", "AAAA", "AFSDB", "AMTRELAY", "ANY", "APL", "ATMA", "AVC", "AXFR", "CAA", "CDNSKEY", "CDS", "CERT", "CNAME"],
  ["CSYNC", "DHCID", "DLV", "DNAME", "DNSKEY", "DOA", "DS", "EID", "EUI48", "EUI64", "GID", "GPOS", "HINFO", "HIP"],
  ["HTTPS", "IPSECKEY", "ISDN", "IXFR", "KEY", "KX", "L32", "L64", "LOC", "LP", "MAILA", "MAILB", "MB", "MD", "MF"],
  ["MG", "MINFO", "MR", "MX", "NAPTR", "NID", "NIMLOC", "NINFO", "NS", "NSAP", "NSAP-PTR", "NSEC", "NSEC3"],
  ["NSEC3PARAM", "NULL", "NXT", "OPENPGPKEY", "OPT", "PTR", "PX", "RESINFO", "RKEY", "RP", "RRSIG", "RT", "SIG"],
  ["SINK", "SMIMEA", "SOA", "SPF", "SRV", "SSHFP", "SVCB", "TA", "TALINK", "TKEY", "TLSA", "TSIG", "TXT", "UID"],
  ["UINFO", "UNSPEC", "URI", "WALLET", "WKS", "X25", "ZONEMD"]
].flat()

export const patterns: Readonly<Record<string, string>> = {
  BIND9_TIMESTAMP: legacy["BIND9_TIMESTAMP"]!,
  BIND9_DNSTYPE: `(?:${recordTypes.join("|")}|TYPE[0-9]+)(?![A-Z0-9-])`,
  BIND9_CATEGORY: "queries",
  BIND9_QUERYLOGBASE: [
    "client(?: @0x[0-9A-Fa-f]+)? %{IP:[client][ip]}#%{POSINT:[client][port]:int}",
    String.raw`(?> \(%{GREEDYDATA:[bind][log][question][name]}\)(?=: ))?: (?:view \S+: )?query: `,
    "(?>%{GREEDYDATA:[dns][question][name]} (?<[dns][question][class]>IN|CH|HS|CLASS[0-9]+)(?= [A-Z]))",
    " %{BIND9_DNSTYPE:[dns][question][type]}(?: %{DATA:[bind][log][question][flags]})?",
    String.raw`(?: \(%{IP:[server][ip]}\)|(?<![)\s])\s*\z)`
  ].join(""),
  BIND9_QUERYLOG: [
    "%{BIND9_TIMESTAMP:timestamp} %{BIND9_CATEGORY:[bing][log][category]}: %{LOGLEVEL:[log][level]}: ",
    "%{BIND9_QUERYLOGBASE}"
  ].join(""),
  BIND9: "%{BIND9_QUERYLOG}"
}
