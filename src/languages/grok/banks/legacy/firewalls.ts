/**
 * Firewall logs: Netscreen sessions, Cisco ASA and PIX messages by their numbers, and netfilter lines of Shorewall and
 * SuSEfirewall2, fields as in Logstash before ECS.
 *
 * Lazy texts are in an atomic group with their terminator, so each ends at the first possible position, without
 * backtracking. A lazy text at the end of a message captures nothing, as in the original patterns.
 */

/** Patterns without fields, which both sets share. */
export const plain: Readonly<Record<string, string>> = {
  CISCOTIMESTAMP: "%{MONTH} +%{MONTHDAY}(?: %{YEAR})? %{TIME}",
  CISCOTAG: "[A-Z0-9]{1,32}-%{INT}-[A-Z0-9_]+",
  CISCO_ACTION: [
    "(?:Built|Teardown|Deny|Denied|denied by ACL|denied|requested|permitted|discarded|est-allowed|Dropping|created",
    "|deleted)"
  ].join(""),
  /** A phrase, such as `Duplicate TCP SYN` or `TCP Reset-O`. */
  CISCO_REASON: String.raw`%{WORD}(?:(?:\s{1,8}|-)%{WORD}){0,15}`,
  CISCO_DIRECTION: "(?:[Ii]n|[Oo]ut)bound",
  CISCO_INTERVAL: "(?:first hit|(?<![0-9])%{INT}-second interval)",
  CISCO_XLATE_TYPE: "(?:static|dynamic)",
  CISCOFW104003: String.raw`\((?:Primary|Secondary)\) Switching to FAILED\.`,
  CISCOFW104004: String.raw`\((?:Primary|Secondary)\) Switching to OK\.`
}

/** The failover messages 104001 to 105009. `unit` is the unit of the pair that sends the message. */
export const failover = (reason: string, name: string): Readonly<Record<string, string>> => {
  const unit = String.raw`\((?:Primary|Secondary)\)`
  return {
    CISCOFW104001: `${unit} Switching to ACTIVE - ${reason}`,
    CISCOFW104002: `${unit} Switching to STANDBY - ${reason}`,
    CISCOFW105003: `${unit} Monitoring on [Ii]nterface ${name} waiting`,
    CISCOFW105004: `${unit} Monitoring on [Ii]nterface ${name} normal`,
    CISCOFW105005: `${unit} Lost Failover communications with mate on [Ii]nterface ${name}`,
    CISCOFW105008: `${unit} Testing [Ii]nterface ${name}`,
    CISCOFW105009: `${unit} Testing on [Ii]nterface ${name} (?:Passed|Failed)`
  }
}

const server = (end: string) => `%{IP:${end}_ip}/%{INT:${end}_port}`
const zone = (field: string) => `(?>%{DATA:${field}}:)`
const placed = (end: string) => `${zone(`${end}_interface`)}${server(end)}`
const user = (field: string) => String.raw`(?>\(%{DATA:${field}}\))?`
/** A host by address or by name, up to its port, its user or a blank. */
const host = (end: string) =>
  String.raw`${zone(`${end}_interface`)}(?>%{DATA:${end}_ip}(?=[/(\s]))(?:/%{INT:${end}_port})?${user(`${end}_fwuser`)}`
const mapped = (end: string) => String.raw`(?: \(%{IP:${end}_mapped_ip}/%{INT:${end}_mapped_port}\))?`
const icmp = (prefix: string) => String.raw` ?\(type %{INT:${prefix}icmp_type}, code %{INT:${prefix}icmp_code}\)`
const hashes = String.raw`\[(?=[^\[\]]{1,64}\])(?>%{DATA:hashcode1}, %{DATA:hashcode2}\])`
const rule = "access-list %{NOTSPACE:policy_id} %{CISCO_ACTION:action} %{WORD:protocol}"
const hits = `hit-cnt %{INT:hit_count} %{CISCO_INTERVAL:interval} ${hashes}`
const side = (end: string) => String.raw`(?>%{DATA:${end}_interface}/)%{IP:${end}_ip}\(%{INT:${end}_port}\)`
const original = (end: string) => `%{IP:orig_${end}_ip}(?:/%{INT:orig_${end}_port})?${user(`orig_${end}_fwuser`)}`
const skipTo = (key: string) => String.raw`(?>.*?\b${key}=)`

export const patterns: Readonly<Record<string, string>> = {
  ...plain,
  NETSCREENSESSIONLOG: [
    "%{SYSLOGTIMESTAMP:date} %{IPORHOST:device} %{IPORHOST}: NetScreen ",
    "device_id=%{WORD:device_id}(?>%{DATA}: start_time=)",
    "%{QUOTEDSTRING:start_time} duration=%{INT:duration} policy_id=%{INT:policy_id} service=(?>%{DATA:service} proto=)",
    "%{INT:proto} src zone=%{WORD:src_zone} dst zone=%{WORD:dst_zone} action=%{WORD:action} sent=%{INT:sent} ",
    "rcvd=%{INT:rcvd} src=%{IPORHOST:src_ip} dst=%{IPORHOST:dst_ip}(?: icmp type=[0-9]+(?: icmp code=[0-9]+)?)?",
    "(?: src_port=%{INT:src_port} dst_port=%{INT:dst_port})?",
    "(?: src-xlated ip=%{IPORHOST:src_xlated_ip} port=%{INT:src_xlated_port})?",
    "(?: dst-xlated ip=%{IPORHOST:dst_xlated_ip} port=%{INT:dst_xlated_port})?",
    "(?: session_id=%{INT:session_id})?(?: reason=%{GREEDYDATA:reason})?"
  ].join(""),

  CISCO_TAGGED_SYSLOG:
    "^<%{POSINT:syslog_pri}>%{CISCOTIMESTAMP:timestamp}(?: %{SYSLOGHOST:sysloghost})? ?: [%]%{CISCOTAG:ciscotag}:",
  ...failover("%{GREEDYDATA:switch_reason}", "%{GREEDYDATA:interface_name}"),
  CISCOFW106001: [
    `%{CISCO_DIRECTION:direction} %{WORD:protocol} connection %{CISCO_ACTION:action} from ${server("src")} to `,
    String.raw`${server("dst")} flags (?>%{GREEDYDATA:tcp_flags}\s{1,4}on interface )%{GREEDYDATA:interface}`
  ].join(""),
  CISCOFW106006_106007_106010: [
    `%{CISCO_ACTION:action} %{CISCO_DIRECTION:direction} %{WORD:protocol} (?:from|src) ${server("src")}`,
    `${user("src_fwuser")} (?:to|dst) ${server("dst")}${user("dst_fwuser")} `,
    "(?:on interface %{DATA:interface}|due to %{CISCO_REASON:reason})"
  ].join(""),
  CISCOFW106014: [
    "%{CISCO_ACTION:action} %{CISCO_DIRECTION:direction} %{WORD:protocol} ",
    `src ${zone("src_interface")}%{IP:src_ip}${user("src_fwuser")} `,
    `dst ${zone("dst_interface")}%{IP:dst_ip}${user("dst_fwuser")}${icmp("")}`
  ].join(""),
  CISCOFW106015: [
    String.raw`%{CISCO_ACTION:action} %{WORD:protocol} \((?>%{DATA:policy_id}\)) from ${server("src")} to `,
    `${server("dst")}`,
    String.raw` flags (?>%{DATA:tcp_flags}\s{1,4}on interface )%{GREEDYDATA:interface}`
  ].join(""),
  CISCOFW106021: [
    "%{CISCO_ACTION:action} %{WORD:protocol} reverse path check from %{IP:src_ip} to %{IP:dst_ip} ",
    "on interface %{GREEDYDATA:interface}"
  ].join(""),
  CISCOFW106023: [
    `%{CISCO_ACTION:action}(?: protocol)? %{WORD:protocol} src ${host("src")} dst ${host("dst")}(?:${icmp("")})?`,
    ` by access-group "?(?>%{DATA:policy_id}"? )${hashes}`
  ].join(""),
  CISCOFW106100_2_3: `${rule} for user '?(?>%{DATA:src_fwuser}'? )${side("src")} -> ${side("dst")} ${hits}`,
  CISCOFW106100: `${rule} ${side("src")}${user("src_fwuser")} -> ${side("dst")}${user("src_fwuser")} ${hits}`,
  CISCOFW304001: `%{IP:src_ip}${user("src_fwuser")} Accessed URL %{IP:dst_ip}:%{GREEDYDATA:dst_url}`,
  CISCOFW110002: `%{CISCO_REASON:reason} for %{WORD:protocol} from ${placed("src")} to ${server("dst")}`,
  CISCOFW302010: "(?<![0-9])%{INT:connection_count} in use, %{INT:connection_count_max} most used",
  CISCOFW302013_302014_302015_302016: [
    "%{CISCO_ACTION:action}(?: %{CISCO_DIRECTION:direction})? %{WORD:protocol} connection %{INT:connection_id} ",
    `for ${placed("src")}${mapped("src")}(?: (?=\\())?${user("src_fwuser")} to ${placed("dst")}${mapped("dst")}`,
    `${user("dst_fwuser")}(?: duration (?:%{TIME:duration}|[0-9]+(?::[0-9]{2}){2}) bytes %{INT:bytes})?`,
    String.raw`(?: %{CISCO_REASON:reason})?(?: \((?>%{DATA:user}\)))?`
  ].join(""),
  CISCOFW302020_302021: [
    "%{CISCO_ACTION:action}(?: %{CISCO_DIRECTION:direction})? %{WORD:protocol} connection for ",
    `faddr %{IP:dst_ip}/%{INT:icmp_seq_num}${user("fwuser")} gaddr %{IP:src_xlated_ip}/%{INT:icmp_code_xlated} `,
    String.raw`laddr %{IP:src_ip}/%{INT:icmp_code}(?: ?\((?>%{DATA:user}\)))?`
  ].join(""),
  CISCOFW305011: [
    `%{CISCO_ACTION:action} %{CISCO_XLATE_TYPE:xlate_type} %{WORD:protocol} translation from ${zone("src_interface")}`,
    `%{IP:src_ip}(?:/%{INT:src_port})?${user("src_fwuser")} to ${zone("src_xlated_interface")}%{IP:src_xlated_ip}/`,
    "%{DATA:src_xlated_port}"
  ].join(""),
  CISCOFW313001_313004_313008: [
    "%{CISCO_ACTION:action} %{WORD:protocol} type=%{INT:icmp_type},(?: code=%{INT:icmp_code})? from (?:laddr )?",
    "%{IP:src_ip} on interface %{DATA:interface}(?: to %{IP:dst_ip})?"
  ].join(""),
  CISCOFW313005: [
    "%{CISCO_REASON:reason} for %{WORD:protocol} error message: %{WORD:err_protocol} ",
    `src ${zone("err_src_interface")}%{IP:err_src_ip}${user("err_src_fwuser")} `,
    `dst ${zone("err_dst_interface")}%{IP:err_dst_ip}${user("err_dst_fwuser")}${icmp("err_")} `,
    String.raw`on (?>%{DATA:interface} interface\.)\s+Original IP payload: %{WORD:protocol} `,
    `src ${original("src")} dst ${original("dst")}`
  ].join(""),
  CISCOFW321001: "Resource '?%{WORD:resource_name}'? limit of %{POSINT:resource_limit} reached(?: for system)?",
  CISCOFW402117: [
    String.raw`%{WORD:protocol}: Received a non-IP[Ss]ec (?:packet )?\(protocol= ?%{WORD:orig_protocol}\) `,
    "from %{IP:src_ip} to %{IP:dst_ip}"
  ].join(""),
  CISCOFW402119: [
    String.raw`%{WORD:protocol}: Received an %{WORD:orig_protocol} packet \(SPI= ?(?>%{DATA:spi}, sequence number= ?)`,
    String.raw`(?>%{DATA:seq_num}\)) from %{IP:src_ip} \(user= ?(?>%{DATA:user}\)) to %{IP:dst_ip} `,
    "that failed anti-replay checking"
  ].join(""),
  CISCOFW419001: [
    `%{CISCO_ACTION:action} %{WORD:protocol} packet from ${placed("src")} to ${placed("dst")}, `,
    "reason: %{GREEDYDATA:reason}"
  ].join(""),
  CISCOFW419002: [
    `%{CISCO_REASON:reason} from ${placed("src")} to ${placed("dst")} with different initial sequence `,
    "number"
  ].join(""),
  CISCOFW500004: `%{CISCO_REASON:reason} for protocol=%{WORD:protocol}, from ${server("src")} to ${server("dst")}`,
  CISCOFW602303_602304: [
    String.raw`%{WORD:protocol}: An %{CISCO_DIRECTION:direction} (?>%{GREEDYDATA:tunnel_type} SA \(SPI= `,
    String.raw`?)(?>%{DATA:spi}\))`,
    String.raw` between %{IP:src_ip} and %{IP:dst_ip} \(user= ?(?>%{DATA:user}\)) has been %{CISCO_ACTION:action}`
  ].join(""),
  CISCOFW710001_710002_710003_710005_710006: [
    "%{WORD:protocol} (?:request|access) %{CISCO_ACTION:action} from %{IP:src_ip}(?:/%{INT:src_port})? to ",
    `${zone("dst_interface")}%{IP:dst_ip}(?:/%{INT:dst_port})?`
  ].join(""),
  CISCOFW713172: [
    "Group = (?>%{GREEDYDATA:group}, IP = )%{IP:src_ip}, Automatic NAT Detection Status:",
    String.raw`\s+Remote\s+end\s*+(?>%{DATA:is_remote_natted}\s{0,8}behind a NAT device)`,
    String.raw`\s+This\s+end\s*+(?>%{DATA:is_local_natted}\s{0,8}behind a NAT device)`
  ].join(""),
  CISCOFW733100: [
    String.raw`\[(?=[^\[\]]{1,256}\])\s*+(?>%{DATA:drop_type}\s?\]) drop (?>%{DATA:drop_rate_id} exceeded\. )`,
    "Current burst rate is %{INT:drop_rate_current_burst} per second, max configured rate is ",
    "%{INT:drop_rate_max_burst}; ",
    "Current average rate is %{INT:drop_rate_current_avg} per second, max configured rate is ",
    "%{INT:drop_rate_max_avg}; ",
    "Cumulative total count is %{INT:drop_total_count}"
  ].join(""),

  SHOREWALL: [
    "%{SYSLOGTIMESTAMP:timestamp} %{WORD:nf_host} (?>.*?Shorewall:)(?:%{WORD:nf_action1})?:(?:%{WORD:nf_action2})?",
    String.raw`${skipTo("IN")}(?>(?:%{USERNAME:nf_in_interface})?)${skipTo("OUT")}(?>(?:%{USERNAME:nf_out_interface})?\s*)`,
    "(?:MAC=%{COMMONMAC:nf_dst_mac}(?::%{COMMONMAC:nf_src_mac})?)?",
    `${skipTo("SRC")}%{IPV4:nf_src_ip}${skipTo("DST")}%{IPV4:nf_dst_ip}${skipTo("LEN")}%{WORD:nf_len}`,
    `${skipTo("TOS")}%{WORD:nf_tos}${skipTo("PREC")}%{WORD:nf_prec}${skipTo("TTL")}(?>%{INT:nf_ttl})`,
    `${skipTo("ID")}(?>%{INT:nf_id})${skipTo("PROTO")}%{WORD:nf_protocol}`,
    `(?:${skipTo("SPT")}(?>%{INT:nf_src_port})${skipTo("DPT")}%{INT:nf_dst_port}.*)?`
  ].join(""),
  SFW2: [
    String.raw`(?:%{SYSLOGTIMESTAMP:timestamp}|%{TIMESTAMP_ISO8601:timestamp})\s+%{HOSTNAME}\s+kernel(?>\S*?(?=\s|SFW2-))\s*`,
    String.raw`(?:%{NAGIOSTIME}\s*|\[\s+[0-9.]+\]\s*)?SFW2-[A-Za-z]+-%{NOTSPACE:nf_action}\s+`,
    `IN=(?>(?:%{USERNAME:nf_in_interface})?)${skipTo("OUT")}(?>(?:%{USERNAME:nf_out_interface})?)`,
    `${skipTo("MAC")}(?:%{COMMONMAC:nf_dst_mac}:%{COMMONMAC:nf_src_mac})?`,
    String.raw`${skipTo("SRC")}%{IP:nf_src_ip}\s+DST=%{IP:nf_dst_ip}${skipTo("PROTO")}%{WORD:nf_protocol}`,
    `(?:${skipTo("SPT")}(?>%{INT:nf_src_port})${skipTo("DPT")}%{INT:nf_dst_port}.*)?`
  ].join("")
}
