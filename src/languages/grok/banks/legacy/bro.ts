/**
 * Tab-separated logs of Bro 2: HTTP, DNS, connections and files, fields as in Logstash before ECS.
 *
 * The fields are greedy references, and a value may be `-` or contain anything. Therefore additional columns of later
 * versions go to the first free-text field of a run, and all other fields are fixed by the number of tabs after them,
 * so that no combination is tried twice.
 */

/** Ends a cell that is followed by exactly `tabs` tabs in the text. */
const beforeTabs = (tabs: number) => String.raw`(?=(?:\t[^\t]*+){${tabs}}\z)`

/** The last columns of a line: greedy cells, counted from the end. The first one takes additional columns. */
const lastCells = (fields: ReadonlyArray<string>): string =>
  fields.map((field, at) => `%{GREEDYDATA:${field}}${beforeTabs(fields.length - 1 - at)}`).join(String.raw`\t`)

const endpoints = String.raw`%{IP:orig_h}\t%{INT:orig_p}\t%{IP:resp_h}\t%{INT:resp_p}`

/** Columns of HTTP from status_code on, and how many come after user_agent. */
const httpReply = [
  ["status_code", "status_msg", "info_code", "info_msg", "filename", "bro_tags", "username", "password", "proxied"],
  ["orig_fuids", "orig_mime_types", "resp_fuids", "resp_mime_types"]
].flat()
const httpTail = httpReply.length + 2

const connCounters = [
  ["conn_state", "local_orig", "missed_bytes", "history", "orig_pkts", "orig_ip_bytes", "resp_pkts"],
  ["resp_ip_bytes", "tunnel_parents"]
].flat()

export const patterns: Readonly<Record<string, string>> = {
  BRO_HTTP: [
    String.raw`%{NUMBER:ts}\t%{NOTSPACE:uid}\t${endpoints}\t%{INT:trans_depth}`,
    ...["method", "domain", "uri", "referrer", "user_agent"].map(
      (field, at) => `%{GREEDYDATA:${field}}${beforeTabs(httpTail + 4 - at)}`
    ),
    String.raw`%{NUMBER:request_body_len}\t%{NUMBER:response_body_len}`,
    lastCells(httpReply)
  ].join(String.raw`\t`),

  BRO_DNS: [
    String.raw`%{NUMBER:ts}\t%{NOTSPACE:uid}\t${endpoints}\t%{WORD:proto}\t%{INT:trans_id}`,
    lastCells(
      [
        ["query", "qclass", "qclass_name", "qtype", "qtype_name", "rcode", "rcode_name", "AA", "TC", "RD", "RA", "Z"],
        ["answers", "TTLs", "rejected"]
      ].flat()
    )
  ].join(String.raw`\t`),

  BRO_CONN: [
    String.raw`%{NUMBER:ts}\t%{NOTSPACE:uid}\t${endpoints}\t%{WORD:proto}\t(?>%{GREEDYDATA:service}`,
    String.raw`(?=(?:\t(?:-|%{NUMBER})){3}(?:\t[^\t]*+){${connCounters.length}}))`,
    String.raw`\t(?:-|%{NUMBER:duration})\t(?:-|%{NUMBER:orig_bytes})\t(?:-|%{NUMBER:resp_bytes})\t`,
    lastCells(connCounters)
  ].join(""),

  BRO_FILES: [
    String.raw`%{NUMBER:ts}\t%{NOTSPACE:fuid}\t%{IP:tx_hosts}\t%{IP:rx_hosts}\t%{NOTSPACE:conn_uids}`,
    lastCells(
      [
        ["source", "depth", "analyzers", "mime_type", "filename", "duration", "local_orig", "is_orig", "seen_bytes"],
        ["total_bytes", "missing_bytes", "overflow_bytes", "timedout", "parent_fuid", "md5", "sha1", "sha256"],
        ["extracted"]
      ].flat()
    )
  ].join(String.raw`\t`)
}
