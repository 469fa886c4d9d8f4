/**
 * Tab-separated logs of Zeek 3 and 4 (formerly Bro): HTTP, DNS, connections and files, fields by the Elastic Common
 * Schema. `-` is an unset value and `(empty)` an empty set; both leave the field unset. The Bro bank, whose columns are
 * older, uses these builders too.
 */

export const row = (...cells: ReadonlyArray<string>): string => cells.join(String.raw`\t`)

export const optional = (...references: ReadonlyArray<string>): ReadonlyArray<string> =>
  references.map((reference) => `(?:-|%{${reference}})`)

export const set = (...references: ReadonlyArray<string>): ReadonlyArray<string> =>
  references.map((reference) => String.raw`(?:-|\(empty\)|%{${reference}})`)

/** A lazy cell, which ends at the next tab. */
export const lazy = (reference: string): string => String.raw`(?>-(?=\t)|%{${reference}}(?=\t))`

export const session: ReadonlyArray<string> = [
  "%{NUMBER:timestamp}",
  "%{NOTSPACE:[zeek][session_id]}",
  "%{IP:[source][ip]}",
  "%{INT:[source][port]:int}",
  "%{IP:[destination][ip]}",
  "%{INT:[destination][port]:int}"
]

const hosts = (address: string, list: string) =>
  String.raw`(?:-|(?<${list}>%{IP:${address}}(?:[,\s](?>%{IP}))+)|%{IP:${address}})`

export const patterns: Readonly<Record<string, string>> = {
  ZEEK_BOOL: "[TF]",
  ZEEK_DATA: String.raw`[^\t]+`,

  ZEEK_HTTP: row(
    ...session,
    "%{INT:[zeek][http][trans_depth]:int}",
    ...optional(
      "WORD:[http][request][method]",
      "ZEEK_DATA:[url][domain]",
      "ZEEK_DATA:[url][original]",
      "ZEEK_DATA:[http][request][referrer]",
      "NUMBER:[http][version]",
      "ZEEK_DATA:[user_agent][original]",
      "ZEEK_DATA:[zeek][http][origin]",
      "NUMBER:[http][request][body][bytes]:int",
      "NUMBER:[http][response][body][bytes]:int",
      "POSINT:[http][response][status_code]:int"
    ),
    lazy("DATA:[zeek][http][status_msg]"),
    ...optional("POSINT:[zeek][http][info_code]:int"),
    lazy("DATA:[zeek][http][info_msg]"),
    ...set("ZEEK_DATA:[zeek][http][tags]"),
    ...optional("ZEEK_DATA:[url][username]", "ZEEK_DATA:[url][password]"),
    ...set(
      "ZEEK_DATA:[zeek][http][proxied]",
      "ZEEK_DATA:[zeek][http][orig_fuids]",
      "ZEEK_DATA:[zeek][http][orig_filenames]",
      "ZEEK_DATA:[http][request][mime_type]",
      "ZEEK_DATA:[zeek][http][resp_fuids]",
      "ZEEK_DATA:[zeek][http][resp_filenames]",
      "ZEEK_DATA:[http][response][mime_type]"
    )
  ),

  ZEEK_DNS: row(
    ...session,
    "%{WORD:[network][transport]}",
    ...optional(
      "INT:[dns][id]:int",
      "NUMBER:[zeek][dns][rtt]:float",
      "ZEEK_DATA:[dns][question][name]",
      "INT:[zeek][dns][qclass]:int",
      "ZEEK_DATA:[zeek][dns][qclass_name]",
      "INT:[zeek][dns][qtype]:int",
      "ZEEK_DATA:[dns][question][type]",
      "INT:[zeek][dns][rcode]:int",
      "ZEEK_DATA:[dns][response_code]",
      "ZEEK_BOOL:[zeek][dns][AA]",
      "ZEEK_BOOL:[zeek][dns][TC]",
      "ZEEK_BOOL:[zeek][dns][RD]",
      "ZEEK_BOOL:[zeek][dns][RA]",
      "NONNEGINT:[zeek][dns][Z]:int"
    ),
    ...set("ZEEK_DATA:[zeek][dns][answers]"),
    lazy("DATA:[zeek][dns][TTLs]"),
    ...optional("ZEEK_BOOL:[zeek][dns][rejected]")
  ),

  /** The last two addresses are only logged with the policy script for MAC addresses. */
  ZEEK_CONN: row(
    ...session,
    "%{WORD:[network][transport]}",
    ...optional(
      "ZEEK_DATA:[network][protocol]",
      "NUMBER:[zeek][connection][duration]:float",
      "INT:[zeek][connection][orig_bytes]:int",
      "INT:[zeek][connection][resp_bytes]:int",
      "ZEEK_DATA:[zeek][connection][state]",
      "ZEEK_BOOL:[zeek][connection][local_orig]",
      "ZEEK_BOOL:[zeek][connection][local_resp]",
      "INT:[zeek][connection][missed_bytes]:int",
      "ZEEK_DATA:[zeek][connection][history]",
      "INT:[source][packets]:int",
      "INT:[source][bytes]:int",
      "INT:[destination][packets]:int",
      "INT:[destination][bytes]:int"
    ),
    ...set("ZEEK_DATA:[zeek][connection][tunnel_parents]")
  ).concat(String.raw`(?:\t(?:-|%{COMMONMAC:[source][mac]})\t(?:-|%{COMMONMAC:[destination][mac]}))?`),

  ZEEK_FILES_TX_HOSTS: hosts("[server][ip]", "[zeek][files][tx_hosts]"),
  ZEEK_FILES_RX_HOSTS: hosts("[client][ip]", "[zeek][files][rx_hosts]"),
  /** Older versions do not log the last two columns. */
  ZEEK_FILES: row(
    "%{NUMBER:timestamp}",
    "%{NOTSPACE:[zeek][files][fuid]}",
    "%{ZEEK_FILES_TX_HOSTS}",
    "%{ZEEK_FILES_RX_HOSTS}",
    ...set("ZEEK_DATA:[zeek][files][session_ids]"),
    ...optional("ZEEK_DATA:[zeek][files][source]", "INT:[zeek][files][depth]:int"),
    ...set("ZEEK_DATA:[zeek][files][analyzers]"),
    ...optional(
      "ZEEK_DATA:[file][mime_type]",
      "ZEEK_DATA:[file][name]",
      "NUMBER:[zeek][files][duration]:float",
      "ZEEK_DATA:[zeek][files][local_orig]",
      "ZEEK_BOOL:[zeek][files][is_orig]",
      "INT:[zeek][files][seen_bytes]:int",
      "INT:[file][size]:int",
      "INT:[zeek][files][missing_bytes]:int",
      "INT:[zeek][files][overflow_bytes]:int",
      "ZEEK_BOOL:[zeek][files][timedout]",
      "ZEEK_DATA:[zeek][files][parent_fuid]",
      "ZEEK_DATA:[file][hash][md5]",
      "ZEEK_DATA:[file][hash][sha1]",
      "ZEEK_DATA:[file][hash][sha256]",
      "ZEEK_DATA:[zeek][files][extracted]"
    )
  ).concat(
    String.raw`(?:\t${row(
      ...optional("ZEEK_BOOL:[zeek][files][extracted_cutoff]", "INT:[zeek][files][extracted_size]:int")
    )})?`
  )
}
