/**
 * Firewall logs, fields by the Elastic Common Schema: Netscreen sessions, Cisco ASA and PIX (a file of its own), and
 * the netfilter lines of the Linux kernel, bare or with the prefixes of Shorewall and SuSEfirewall2.
 */

import { cisco } from "./cisco.ts"

/** A hexadecimal number after `0x`; a plain zero means no value. */
const hexadecimal = (reference: string) => `(?:0x${reference}|0(?![0-9A-Fa-fx]))?`

export const patterns: Readonly<Record<string, string>> = {
  NETSCREENSESSIONLOG: [
    "%{SYSLOGTIMESTAMP:timestamp} %{IPORHOST:[observer][hostname]} %{NOTSPACE:[observer][name]}: ",
    "(?<[observer][product]>NetScreen) device_id=%{WORD:[netscreen][device_id]}",
    String.raw`(?>.*?(?=(?:system-[a-z]+-\d+\(\w+\))?: start_time=))`,
    String.raw`(?:system-[a-z]+-%{NONNEGINT:[event][code]}\(%{WORD:[netscreen][session][type]}\))?: start_time=`,
    `"(?>%{DATA:[netscreen][session][start_time]}")`,
    " duration=%{INT:[netscreen][session][duration]:int} policy_id=%{INT:[netscreen][policy_id]} ",
    "service=(?>%{DATA:[netscreen][service]} proto=)%{INT:[netscreen][protocol_number]:int} ",
    "src zone=%{WORD:[observer][ingress][zone]} dst zone=%{WORD:[observer][egress][zone]} ",
    "action=%{WORD:[event][action]} sent=%{INT:[source][bytes]:int} rcvd=%{INT:[destination][bytes]:int} ",
    "src=%{IPORHOST:[source][address]} dst=%{IPORHOST:[destination][address]}",
    "(?: icmp type=[0-9]+(?: icmp code=[0-9]+)?)?",
    "(?: src_port=%{INT:[source][port]:int} dst_port=%{INT:[destination][port]:int})?",
    "(?: src-xlated ip=%{IP:[source][nat][ip]} port=%{INT:[source][nat][port]:int})?",
    "(?: dst-xlated ip=%{IP:[destination][nat][ip]} port=%{INT:[destination][nat][port]:int})?",
    "(?: session_id=%{INT:[netscreen][session][id]})?(?: reason=%{GREEDYDATA:[netscreen][session][reason]})?"
  ].join(""),

  ...cisco,

  /** In the kernel's order, each followed by a blank. */
  IPTABLES_TCP_FLAGS: "(?:(?:CWR|ECE|URG|ACK|PSH|RST|SYN|FIN)(?: |$))*",
  IPTABLES_TCP_PART: [
    String.raw`(?:SEQ=%{INT:[iptables][tcp][seq]:int}\s+)?(?:ACK=%{INT:[iptables][tcp][ack]:int}\s+)?`,
    String.raw`WINDOW=%{INT:[iptables][tcp][window]:int}\s+RES=0x%{BASE16NUM:[iptables][tcp_reserved_bits]}\s+`,
    "%{IPTABLES_TCP_FLAGS:[iptables][tcp][flags]}"
  ].join(""),
  IPTABLES4_FRAG: "(?:CE|DF|MF)(?: (?:CE|DF|MF))*",
  IPTABLES4_PART: [
    String.raw`SRC=%{IPV4:[source][ip]}\s+DST=%{IPV4:[destination][ip]}\s+LEN=(?:%{INT:[iptables][length]:int})?\s+`,
    String.raw`TOS=${hexadecimal("%{BASE16NUM:[iptables][tos]}")}\s+`,
    String.raw`PREC=${hexadecimal("%{BASE16NUM:[iptables][precedence_bits]}")}\s+`,
    String.raw`TTL=(?:%{INT:[iptables][ttl]:int})?\s+ID=(?>(?:%{INT:[iptables][id]})?)`,
    String.raw`(?>(?:\s+%{IPTABLES4_FRAG:[iptables][fragment_flags]}(?=\s|\z))?)`,
    String.raw`(?:\s+FRAG: ?%{INT:[iptables][fragment_offset]:int})?`
  ].join(""),
  /** The kernel prints the traffic class as a decimal number. */
  IPTABLES6_PART: [
    String.raw`SRC=%{IPV6:[source][ip]}\s+DST=%{IPV6:[destination][ip]}\s+LEN=(?:%{INT:[iptables][length]:int})?\s+`,
    String.raw`TC=(?:0(?![0-9A-Fa-fx])|(?:0x)?%{BASE16NUM:[iptables][tos]})?\s+`,
    String.raw`HOPLIMIT=(?:%{INT:[iptables][ttl]:int})?\s+FLOWLBL=(?>(?:%{INT:[iptables][flow_label]})?)`
  ].join(""),
  IPTABLES: [
    String.raw`IN=(?:%{NOTSPACE:[observer][ingress][interface][name]})?\s+`,
    String.raw`OUT=(?:%{NOTSPACE:[observer][egress][interface][name]})?\s+`,
    String.raw`(?:PHYSIN=\S*\s+)?(?:PHYSOUT=\S*\s+)?`,
    String.raw`(?:MAC=(?:%{COMMONMAC:[destination][mac]}(?::%{COMMONMAC:[source][mac]})?)?\S*\s+)?`,
    "(?:%{IPTABLES4_PART}|%{IPTABLES6_PART})",
    String.raw`(?>.*?\bPROTO=)(?:%{WORD:[network][transport]})?`,
    String.raw`(?:\s+SPT=(?:%{INT:[source][port]:int})?\s+DPT=(?:%{INT:[destination][port]:int})?)?`,
    String.raw`(?:\s+(?:%{IPTABLES_TCP_PART})?)?`
  ].join(""),

  SHOREWALL: [
    "%{SYSLOGTIMESTAMP:timestamp} %{WORD:[observer][hostname]} (?>.*?Shorewall:)",
    "(?:%{WORD:[shorewall][firewall][type]})?:(?:%{WORD:[shorewall][firewall][action]})?",
    String.raw`(?>.*?(?=\bIN=))%{IPTABLES}`
  ].join(""),
  SFW2_LOG_PREFIX: "SFW2-[A-Za-z]+-%{NOTSPACE:[suse][firewall][action]}",
  SFW2: [
    String.raw`(?:%{SYSLOGTIMESTAMP:timestamp}|%{TIMESTAMP_ISO8601:timestamp})\s+%{HOSTNAME:[observer][hostname]}`,
    String.raw`(?>.*?(?=\bSFW2-))%{SFW2_LOG_PREFIX:[suse][firewall][log_prefix]}\s+%{IPTABLES}`
  ].join("")
}
