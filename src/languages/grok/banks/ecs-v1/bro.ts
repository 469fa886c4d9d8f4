/**
 * Tab-separated logs of Bro 2, the older columns of Zeek's HTTP, DNS, connection and file logs, fields by the Elastic
 * Common Schema. Unset values and empty sets are as in the Zeek bank.
 */

import { lazy, optional, row, session, set } from "./zeek.ts"

export const patterns: Readonly<Record<string, string>> = {
  BRO_BOOL: "[TF]",
  BRO_DATA: String.raw`[^\t]+`,

  BRO_HTTP: row(
    ...session,
    "%{INT:[zeek][http][trans_depth]:int}",
    ...optional(
      "WORD:[http][request][method]",
      "BRO_DATA:[url][domain]",
      "BRO_DATA:[url][original]",
      "BRO_DATA:[http][request][referrer]",
      "BRO_DATA:[user_agent][original]",
      "NUMBER:[http][request][body][bytes]:int",
      "NUMBER:[http][response][body][bytes]:int",
      "POSINT:[http][response][status_code]:int"
    ),
    lazy("DATA:[zeek][http][status_msg]"),
    ...optional("POSINT:[zeek][http][info_code]:int"),
    lazy("DATA:[zeek][http][info_msg]"),
    ...optional("BRO_DATA:[zeek][http][filename]"),
    ...set("BRO_DATA:[zeek][http][tags]"),
    ...optional("BRO_DATA:[url][username]", "BRO_DATA:[url][password]"),
    ...set(
      "BRO_DATA:[zeek][http][proxied]",
      "BRO_DATA:[zeek][http][orig_fuids]",
      "BRO_DATA:[http][request][mime_type]",
      "BRO_DATA:[zeek][http][resp_fuids]",
      "BRO_DATA:[http][response][mime_type]"
    )
  ),

  BRO_DNS: row(
    ...session,
    "%{WORD:[network][transport]}",
    ...optional(
      "INT:[dns][id]:int",
      "BRO_DATA:[dns][question][name]",
      "INT:[zeek][dns][qclass]:int",
      "BRO_DATA:[zeek][dns][qclass_name]",
      "INT:[zeek][dns][qtype]:int",
      "BRO_DATA:[dns][question][type]",
      "INT:[zeek][dns][rcode]:int",
      "BRO_DATA:[dns][response_code]",
      "BRO_BOOL:[zeek][dns][AA]",
      "BRO_BOOL:[zeek][dns][TC]",
      "BRO_BOOL:[zeek][dns][RD]",
      "BRO_BOOL:[zeek][dns][RA]",
      "NONNEGINT:[zeek][dns][Z]:int"
    ),
    ...set("BRO_DATA:[zeek][dns][answers]"),
    lazy("DATA:[zeek][dns][TTLs]"),
    ...optional("BRO_BOOL:[zeek][dns][rejected]")
  ),

  /** Only later versions log whether the responder is local. */
  BRO_CONN: [
    row(
      ...session,
      "%{WORD:[network][transport]}",
      ...optional(
        "BRO_DATA:[network][protocol]",
        "NUMBER:[zeek][connection][duration]:float",
        "INT:[zeek][connection][orig_bytes]:int",
        "INT:[zeek][connection][resp_bytes]:int",
        "BRO_DATA:[zeek][connection][state]",
        "BRO_BOOL:[zeek][connection][local_orig]"
      )
    ),
    String.raw`\t(?:(?:-|%{BRO_BOOL:[zeek][connection][local_resp]})\t)?`,
    row(
      ...optional(
        "INT:[zeek][connection][missed_bytes]:int",
        "BRO_DATA:[zeek][connection][history]",
        "INT:[source][packets]:int",
        "INT:[source][bytes]:int",
        "INT:[destination][packets]:int",
        "INT:[destination][bytes]:int"
      ),
      ...set("BRO_DATA:[zeek][connection][tunnel_parents]")
    )
  ].join(""),

  BRO_FILES: row(
    "%{NUMBER:timestamp}",
    "%{NOTSPACE:[zeek][files][fuid]}",
    ...optional("IP:[server][ip]", "IP:[client][ip]"),
    ...set("BRO_DATA:[zeek][files][session_ids]"),
    ...optional("BRO_DATA:[zeek][files][source]", "INT:[zeek][files][depth]:int"),
    ...set("BRO_DATA:[zeek][files][analyzers]"),
    ...optional(
      "BRO_DATA:[file][mime_type]",
      "BRO_DATA:[file][name]",
      "NUMBER:[zeek][files][duration]:float",
      "BRO_DATA:[zeek][files][local_orig]",
      "BRO_BOOL:[zeek][files][is_orig]",
      "INT:[zeek][files][seen_bytes]:int",
      "INT:[file][size]:int",
      "INT:[zeek][files][missing_bytes]:int",
      "INT:[zeek][files][overflow_bytes]:int",
      "BRO_BOOL:[zeek][files][timedout]",
      "BRO_DATA:[zeek][files][parent_fuid]",
      "BRO_DATA:[file][hash][md5]",
      "BRO_DATA:[file][hash][sha1]",
      "BRO_DATA:[file][hash][sha256]",
      "BRO_DATA:[zeek][files][extracted]"
    )
  )
}
