/**
 * Cisco ASA and PIX messages by their numbers, fields by the Elastic Common Schema: the largest part of the firewall
 * bank. The legacy bank describes the messages, and how lazy texts are terminated.
 */

import { failover, plain } from "../legacy/firewalls.ts"

const action = "%{CISCO_ACTION:[cisco][asa][outcome]}"
const direction = "%{CISCO_DIRECTION:[cisco][asa][network][direction]}"
const transport = "%{WORD:[cisco][asa][network][transport]}"
const reason = "%{CISCO_REASON:[event][reason]}"
const securityService = "%{WORD:[cisco][asa][network][type]}"
const ingress = "[observer][ingress][interface][name]"
const egress = "[observer][egress][interface][name]"
const onInterface = `on interface %{NOTSPACE:${egress}}`
const flags = String.raw`flags (?>%{DATA:[cisco][asa][tcp_flags]}\s{1,4}on interface )%{NOTSPACE:${egress}}`

const address = (end: string) => `%{IP:[${end}][ip]}`
const server = (end: string) => `%{IP:[${end}][ip]}/%{INT:[${end}][port]:int}`
const user = (field: string) => String.raw`(?>\(%{DATA:${field}}\))?`
const userOf = (end: string) => user(`[${end}][user][name]`)
/** The name of an interface ends at the first colon of its word; the address after it may contain further colons. */
const word = (field: string) => String.raw`%{NOTSPACE:${field}}(?=:)(?<=(?:^|\s)[^\s:]+):`
/**
 * The name of an interface at the start of a pattern. The search skips positions where no name can begin, and words
 * that are too long for a name.
 */
const firstWord = (field: string) => String.raw`(?<![^\s=(\[<{,;|"'])(?=[^\s:]{1,64}:)${word(field)}`
const zone = (field: string) => `(?>%{DATA:${field}}:)`
const mapped = (end: string) => String.raw`(?: \(%{IP:[${end}][nat][ip]}/%{INT:[${end}][nat][port]:int}\))?`
const hostPortUser = (name: string, end: string) =>
  `${firstWord(name)}(?:${address(end)}|%{HOSTNAME:[${end}][address]})(?:/%{INT:[${end}][port]:int})?${userOf(end)}`
const icmp = String.raw` ?\(type %{INT:[cisco][asa][icmp_type]:int}, code %{INT:[cisco][asa][icmp_code]:int}\)`
const hashes = [
  String.raw`\[(?=[^\[\]]{1,64}\])(?>%{DATA:[@metadata][cisco][asa][hashcode1]}, `,
  String.raw`%{DATA:[@metadata][cisco][asa][hashcode2]}\])`
].join("")
const rule = `access-list %{NOTSPACE:[cisco][asa][rule_name]} ${action} ${transport}`
const side = (name: string, end: string) => String.raw`(?>%{DATA:${name}}/)${address(end)}\(%{INT:[${end}][port]:int}\)`
const payload = (end: string) => {
  const original = `[cisco][asa][original_ip_payload][${end}]`
  return `%{IP:${original}[ip]}(?:/%{INT:${original}[port]:int})?${user(`${original}[user][name]`)}`
}
const rate = (current: string, configured: string) =>
  [
    `%{INT:[cisco][asa][burst][${current}]:int} per second, `,
    `max configured rate is %{INT:[cisco][asa][burst][${configured}]:int}`
  ].join("")

export const cisco: Readonly<Record<string, string>> = {
  ...plain,
  CISCO_TAGGED_SYSLOG: [
    "^<%{POSINT:[log][syslog][priority]:int}>%{CISCOTIMESTAMP:timestamp}(?: %{SYSLOGHOST:[host][hostname]})? ?: ",
    "[%]%{CISCOTAG:[cisco][asa][tag]}:"
  ].join(""),
  CISCO_HITCOUNT_INTERVAL: [
    "hit-cnt %{INT:[cisco][asa][hit_count]:int} ",
    "(?:first hit|%{INT:[cisco][asa][interval]:int}-second interval)"
  ].join(""),
  CISCO_SRC_IP_USER: `${firstWord(ingress)}${address("source")}${userOf("source")}`,
  CISCO_DST_IP_USER: `${firstWord(egress)}${address("destination")}${userOf("destination")}`,
  CISCO_SRC_HOST_PORT_USER: hostPortUser(ingress, "source"),
  CISCO_DST_HOST_PORT_USER: hostPortUser(egress, "destination"),

  ...failover("%{GREEDYDATA:[event][reason]}", "%{NOTSPACE:[network][interface][name]}"),
  CISCOFW106001: [
    `${direction} ${transport} connection ${action} from ${server("source")} to `,
    `${server("destination")} ${flags}`
  ].join(""),
  CISCOFW106006_106007_106010: [
    `${action} ${direction} ${transport} (?:from|src) ${server("source")}${userOf("source")} `,
    `(?:to|dst) ${server("destination")}${userOf("destination")} (?:${onInterface}|due to ${reason})`
  ].join(""),
  CISCOFW106014: `${action} ${direction} ${transport} src %{CISCO_SRC_IP_USER} dst %{CISCO_DST_IP_USER}${icmp}`,
  CISCOFW106015: [
    String.raw`${action} ${transport} \((?>%{DATA:[cisco][asa][rule_name]}\)) from ${server("source")} `,
    `to ${server("destination")} ${flags}`
  ].join(""),
  CISCOFW106021: [
    `${action} ${transport} reverse path check from ${address("source")} to ${address("destination")} `,
    onInterface
  ].join(""),
  CISCOFW106023: [
    `${action}(?: protocol)? ${transport} src %{CISCO_SRC_HOST_PORT_USER} dst %{CISCO_DST_HOST_PORT_USER}(?:${icmp})?`,
    ` by access-group "?(?>%{DATA:[cisco][asa][rule_name]}"? )${hashes}`
  ].join(""),
  CISCOFW106100_2_3: [
    `${rule} for user '?(?>%{DATA:[user][name]}'? )${side(ingress, "source")} -> ${side(egress, "destination")} `,
    `%{CISCO_HITCOUNT_INTERVAL} ${hashes}`
  ].join(""),
  CISCOFW106100: [
    `${rule} ${side(ingress, "source")}${userOf("source")} -> ${side(egress, "destination")}${userOf("source")} `,
    `hit-cnt %{INT:[cisco][asa][hit_count]:int} %{CISCO_INTERVAL} ${hashes}`
  ].join(""),
  CISCOFW304001: [
    `${address("source")}${userOf("source")} Accessed URL `,
    `${address("destination")}:%{GREEDYDATA:[url][original]}`
  ].join(""),
  CISCOFW110002: `${reason} for ${transport} from ${zone(ingress)}${server("source")} to ${server("destination")}`,
  CISCOFW302010: [
    "(?<![0-9])%{INT:[cisco][asa][connections][in_use]:int} in use, ",
    "%{INT:[cisco][asa][connections][most_used]:int} most used"
  ].join(""),
  CISCOFW302013_302014_302015_302016: [
    `${action}(?: ${direction})? ${transport} connection %{INT:[cisco][asa][connection_id]} for `,
    `${word(ingress)}${server("source")}${mapped("source")}(?: (?=\\())?${userOf("source")} to `,
    `${word(egress)}${server("destination")}${mapped("destination")}${userOf("destination")}`,
    "(?: duration (?:%{TIME:[cisco][asa][duration]}|[0-9]+(?::[0-9]{2}){2}) bytes %{INT:[network][bytes]:int})?",
    String.raw`(?: ${reason})?(?: \((?>%{DATA:[user][name]}\)))?`
  ].join(""),
  CISCOFW302020_302021: [
    `${action}(?: ${direction})? ${transport} connection for `,
    `faddr ${address("destination")}/%{INT:[cisco][asa][icmp_seq]:int}${userOf("destination")} `,
    "gaddr %{IP:[source][nat][ip]}/%{INT:[cisco][asa][icmp_type]:int} ",
    String.raw`laddr ${address("source")}/%{INT}(?: ?\((?>%{DATA:[source][user][name]}\)))?`
  ].join(""),
  CISCOFW305011: [
    `${action} %{CISCO_XLATE_TYPE} ${transport} translation from ${zone(ingress)}${address("source")}`,
    `(?:/%{INT:[source][port]:int})?${userOf("source")} to ${zone(egress)}${server("destination")}`
  ].join(""),
  CISCOFW313001_313004_313008: [
    `${action} ${transport} type=%{INT:[cisco][asa][icmp_type]:int},(?: code=%{INT:[cisco][asa][icmp_code]:int})? `,
    `from (?:laddr )?${address("source")} ${onInterface}(?: to ${address("destination")})?`
  ].join(""),
  CISCOFW313005: [
    `${reason} for ${transport} error message: %{WORD} src %{CISCO_SRC_IP_USER} dst %{CISCO_DST_IP_USER}${icmp} `,
    String.raw`on %{NOTSPACE} interface\.\s+Original IP payload: `,
    "%{WORD:[cisco][asa][original_ip_payload][network][transport]} ",
    `src ${payload("source")} dst ${payload("destination")}`
  ].join(""),
  CISCOFW321001: [
    "Resource '?(?>%{DATA:[cisco][asa][resource][name]}'? limit of )%{POSINT:[cisco][asa][resource][limit]:int} ",
    "reached(?: for system)?"
  ].join(""),
  CISCOFW402117: [
    String.raw`${securityService}: Received a non-IP[Ss]ec (?:packet )?\(protocol= ?${transport}\) `,
    String.raw`from ${address("source")} to ${address("destination")}\.?`
  ].join(""),
  CISCOFW402119: [
    `${securityService}: Received an %{WORD:[cisco][asa][ipsec][protocol]} packet `,
    String.raw`\(SPI= ?(?>%{DATA:[cisco][asa][ipsec][spi]}, sequence number= `,
    String.raw`?)(?>%{DATA:[cisco][asa][ipsec][seq_num]}\)) `,
    String.raw`from ${address("source")} \(user= ?(?>%{DATA:[source][user][name]}\)) to ${address("destination")} `,
    String.raw`that failed anti-replay checking\.?`
  ].join(""),
  CISCOFW419001: [
    `${action} ${transport} packet from ${word(ingress)}${server("source")} to `,
    `${word(egress)}${server("destination")}, `,
    "reason: %{GREEDYDATA:[event][reason]}"
  ].join(""),
  CISCOFW419002: [
    `${reason} from ${zone(ingress)}${server("source")} to ${zone(egress)}${server("destination")} `,
    "with different initial sequence number"
  ].join(""),
  CISCOFW500004: `${reason} for protocol=${transport}, from ${server("source")} to ${server("destination")}`,
  CISCOFW602303_602304: [
    String.raw`${securityService}: An ${direction} (?>%{DATA:[cisco][asa][ipsec][tunnel_type]} SA \(SPI= ?)`,
    String.raw`(?>%{DATA:[cisco][asa][ipsec][spi]}\)) between ${address("source")} and ${address("destination")} `,
    String.raw`\(user= ?(?>%{DATA:[source][user][name]}\)) has been ${action}`
  ].join(""),
  CISCOFW710001_710002_710003_710005_710006: [
    `${transport} (?:request|access) ${action} from ${address("source")}(?:/%{INT:[source][port]:int})? `,
    `to ${zone(egress)}${address("destination")}(?:/%{INT:[destination][port]:int})?`
  ].join(""),
  CISCOFW713172: [
    `Group = (?>%{DATA:[cisco][asa][source][group]}, IP = )${address("source")}, Automatic NAT Detection Status:`,
    String.raw`\s+Remote\s+end\s*+(?>%{DATA:[@metadata][cisco][asa][remote_nat]}\s{0,8}behind a NAT device)`,
    String.raw`\s+This\s+end\s*+(?>%{DATA:[@metadata][cisco][asa][local_nat]}\s{0,8}behind a NAT device)`
  ].join(""),
  CISCOFW733100: [
    String.raw`\[(?=[^\[\]]{1,256}\])\s*+(?>%{DATA:[cisco][asa][burst][object]}\s?\]) drop `,
    String.raw`(?>%{DATA:[cisco][asa][burst][id]} exceeded\. )`,
    `Current burst rate is ${rate("current_rate", "configured_rate")}; `,
    `Current average rate is ${rate("avg_rate", "configured_avg_rate")}; `,
    "Cumulative total count is %{INT:[cisco][asa][burst][cumulative_count]:int}"
  ].join("")
}
