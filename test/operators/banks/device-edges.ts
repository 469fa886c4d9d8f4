import type { Sample } from "./expected.ts"

/** Edge cases of the patterns of each topic: optional ends, doubled separators, missing texts. */
export const edges: Readonly<Record<string, ReadonlyArray<Sample>>> = {
  aws: [
    [
      "S3_ACCESS_LOG",
      '79a5 b [06/Feb/2019:00:00:38 +0000] 192.0.2.3 a A12 REST.GET.OBJECT k "GET /a HTTP/1.1" 404 - 297 - 38 12 "-" ""curl/8"" -',
      'owner=79a5 | bucket=b | timestamp=06/Feb/2019:00:00:38 +0000 | clientip=192.0.2.3 | requester=a | request_id=A12 | operation=REST.GET.OBJECT | key=k | verb=GET | request=/a | httpversion=1.1 | response#404 | bytes#297 | request_time_ms#38 | turnaround_time_ms#12 | referrer="\\"-\\"" | agent="\\"curl/8\\""',
      null
    ],
    [
      "ELB_ACCESS_LOG",
      '2014-02-15T23:39:43.945958Z lb 192.0.2.3:2817 10.0.0.1::80 0.1 0.2 0.3 200 200 0 29 "GET http://h/ HTTP/1.1"',
      "timestamp=2014-02-15T23:39:43.945958Z | elb=lb | clientip=192.0.2.3 | clientport#2817 | backendip=10.0.0.1 | backendport#80 | request_processing_time#0.1 | backend_processing_time#0.2 | response_processing_time#0.3 | response#200 | backend_response#200 | received_bytes#0 | bytes#29 | verb=GET | request=http://h/ | proto=http | urihost=h | path=/ | httpversion=1.1",
      null
    ]
  ],
  firewalls: [
    [
      "^%{SFW2}$",
      "Jan 29 00:00:28 h kernel:SFW2-INext-DROP IN=ppp0 OUT= MAC= SRC=192.0.2.1 DST=192.0.2.2 LEN=512 TOS=0x00 PREC=0x00 TTL=70 ID=55012 PROTO=UDP SPT=24128 DPT=1026 LEN=492",
      "timestamp=Jan 29 00:00:28 | nf_action=DROP | nf_in_interface=ppp0 | nf_src_ip=192.0.2.1 | nf_dst_ip=192.0.2.2 | nf_protocol=UDP | nf_src_port=24128 | nf_dst_port=1026",
      null
    ],
    [
      "^%{SHOREWALL}$",
      "May 28 17:23:25 h kernel: Shorewall:FORWARD:REJECT:IN=eth2 OUT=eth1 SRC=192.0.2.1 DST=192.0.2.2 LEN=141 TOS=0x00 PREC=0x00 TTL=63 ID=55251 PROTO=UDP SPT=5353 DPT=5353 LEN=121",
      "timestamp=May 28 17:23:25 | nf_host=h | nf_action1=FORWARD | nf_action2=REJECT | nf_in_interface=eth2 | nf_out_interface=eth1 | nf_src_ip=192.0.2.1 | nf_dst_ip=192.0.2.2 | nf_len=141 | nf_tos=0x00 | nf_prec=0x00 | nf_ttl=63 | nf_id=55251 | nf_protocol=UDP | nf_src_port=5353 | nf_dst_port=5353",
      null
    ],
    [
      "^%{IPTABLES}$",
      "IN=eth2 OUT=eth1 SRC=192.0.2.1 DST=192.0.2.2 LEN=141 TOS=0x00 PREC=0x00 TTL=63 ID=55251 PROTO=UDP SPT=5353 DPT=5353 ",
      null,
      "observer.ingress.interface.name=eth2 | observer.egress.interface.name=eth1 | destination.ip=192.0.2.2 | destination.port#5353 | source.ip=192.0.2.1 | source.port#5353 | iptables.length#141 | iptables.tos=00 | iptables.precedence_bits=00 | iptables.ttl#63 | iptables.id=55251 | network.transport=UDP"
    ],
    [
      "NETSCREENSESSIONLOG",
      'Jun  2 14:53:31 fw-01 isg1000: NetScreen device_id=7  [Root]system-notification-00257: start_time="2006-06-02 14:53:30" duration=1 policy_id=119 service=udp/port:7001 proto=17 src zone=Trust dst zone=DMZ action=Permit sent=10 rcvd=20 src=192.0.2.1 dst=192.0.2.2',
      null,
      "timestamp=Jun  2 14:53:31 | observer.hostname=fw-01 | observer.name=isg1000 | observer.product=NetScreen | observer.ingress.zone=Trust | observer.egress.zone=DMZ | netscreen.device_id=7 | netscreen.session.start_time=2006-06-02 14:53:30 | netscreen.session.duration#1 | netscreen.policy_id=119 | netscreen.service=udp/port:7001 | netscreen.protocol_number#17 | event.action=Permit | source.bytes#10 | source.address=192.0.2.1 | destination.bytes#20 | destination.address=192.0.2.2"
    ],
    ["^%{CISCO_REASON:reason}$", "Duplicate  TCP   SYN", "reason=Duplicate  TCP   SYN", "reason=Duplicate  TCP   SYN"],
    [
      "CISCOFW302013_302014_302015_302016",
      "Built outbound UDP connection 9 for outside:192.0.2.1/55 to inside:10.0.0.1/80 SYN Timeout",
      "action=Built | direction=outbound | protocol=UDP | connection_id=9 | src_interface=outside | src_ip=192.0.2.1 | src_port=55 | dst_interface=inside | dst_ip=10.0.0.1 | dst_port=80 | reason=SYN Timeout",
      "cisco.asa.outcome=Built | cisco.asa.network.direction=outbound | cisco.asa.network.transport=UDP | cisco.asa.connection_id=9 | observer.ingress.interface.name=outside | observer.egress.interface.name=inside | source.ip=192.0.2.1 | source.port#55 | destination.ip=10.0.0.1 | destination.port#80 | event.reason=SYN Timeout"
    ],
    [
      "CISCOFW713172",
      "Group = G, IP = 192.0.2.1, Automatic NAT Detection Status:  Remote end behind a NAT device  This end is behind a NAT device",
      "group=G | src_ip=192.0.2.1 | is_local_natted=is",
      "cisco.asa.source.group=G | source.ip=192.0.2.1 | @metadata.cisco.asa.local_nat=is"
    ],
    [
      "^%{CISCOFW402117}$",
      "IPSEC: Received a non-IPSec packet (protocol= UDP) from 192.0.2.1 to 192.0.2.2.",
      null,
      "cisco.asa.network.type=IPSEC | cisco.asa.network.transport=UDP | source.ip=192.0.2.1 | destination.ip=192.0.2.2"
    ],
    [
      "^%{CISCOFW402119}$",
      "IPSEC: Received an ESP packet (SPI= 0x1B, sequence number= 0x28B) from 192.0.2.1 (user= joe) to 192.0.2.2 that failed anti-replay checking.",
      null,
      "cisco.asa.network.type=IPSEC | cisco.asa.ipsec.protocol=ESP | cisco.asa.ipsec.spi=0x1B | cisco.asa.ipsec.seq_num=0x28B | source.ip=192.0.2.1 | source.user.name=joe | destination.ip=192.0.2.2"
    ]
  ],
  junos: [
    [
      "^%{RT_FLOW1}$",
      "RT_FLOW_SESSION_CLOSE: session closed unset: 192.0.2.1/64->192.0.2.2/80 http 192.0.2.3/1->192.0.2.2/80 r1 r2 6 p trust untrust 20 5(300) 4(200) 9 UNKNOWN N/A(N/A) ge-0",
      "event=RT_FLOW_SESSION_CLOSE | close-reason=session closed unset | src-ip=192.0.2.1 | src-port=64 | dst-ip=192.0.2.2 | dst-port=80 | service=http | nat-src-ip=192.0.2.3 | nat-src-port=1 | nat-dst-ip=192.0.2.2 | nat-dst-port=80 | src-nat-rule-name=r1 | dst-nat-rule-name=r2 | protocol-id=6 | policy-name=p | from-zone=trust | to-zone=untrust | session-id=20 | sent=300 | received=200 | elapsed-time=9",
      "juniper.srx.tag=RT_FLOW_SESSION_CLOSE | juniper.srx.reason=session closed unset | juniper.srx.service_name=http | juniper.srx.src_nat_rule_name=r1 | juniper.srx.dst_nat_rule_name=r2 | juniper.srx.session_id=20 | juniper.srx.elapsed_time#9 | source.ip=192.0.2.1 | source.port#64 | source.nat.ip=192.0.2.3 | source.nat.port#1 | source.bytes#300 | destination.ip=192.0.2.2 | destination.port#80 | destination.nat.ip=192.0.2.2 | destination.nat.port#80 | destination.bytes#200 | network.iana_number=6 | rule.name=p | observer.ingress.zone=trust | observer.egress.zone=untrust"
    ],
    [
      "^%{RT_FLOW2}$",
      "RT_FLOW_SESSION_CREATE: session created 192.0.2.1/1->192.0.2.2/2 icmp 192.0.2.1/1->192.0.2.2/2 r1 r2 1 p a b 54 N/A(N/A) reth1.10",
      "event=RT_FLOW_SESSION_CREATE | src-ip=192.0.2.1 | src-port=1 | dst-ip=192.0.2.2 | dst-port=2 | service=icmp | nat-src-ip=192.0.2.1 | nat-src-port=1 | nat-dst-ip=192.0.2.2 | nat-dst-port=2 | src-nat-rule-name=r1 | dst-nat-rule-name=r2 | protocol-id=1 | policy-name=p | from-zone=a | to-zone=b | session-id=54",
      "juniper.srx.tag=RT_FLOW_SESSION_CREATE | juniper.srx.service_name=icmp | juniper.srx.src_nat_rule_name=r1 | juniper.srx.dst_nat_rule_name=r2 | juniper.srx.session_id=54 | source.ip=192.0.2.1 | source.port#1 | source.nat.ip=192.0.2.1 | source.nat.port#1 | destination.ip=192.0.2.2 | destination.port#2 | destination.nat.ip=192.0.2.2 | destination.nat.port#2 | network.iana_number=1 | rule.name=p | observer.ingress.zone=a | observer.egress.zone=b"
    ],
    [
      "^%{RT_FLOW3}$",
      "RT_FLOW_SESSION_DENY: session denied 192.0.2.1/62884->192.0.2.2/23 telnet 6(0) p a b UNKNOWN N/A(N/A) ge-0",
      "event=RT_FLOW_SESSION_DENY | src-ip=192.0.2.1 | src-port=62884 | dst-ip=192.0.2.2 | dst-port=23 | service=telnet | protocol-id=6 | policy-name=p | from-zone=a | to-zone=b",
      "juniper.srx.tag=RT_FLOW_SESSION_DENY | juniper.srx.service_name=telnet | source.ip=192.0.2.1 | source.port#62884 | destination.ip=192.0.2.2 | destination.port#23 | network.iana_number=6 | rule.name=p | observer.ingress.zone=a | observer.egress.zone=b"
    ]
  ],
  zeek: [
    [
      "ZEEK_FILES",
      "1541001600.580344\tF3\t192.0.2.1\t192.0.2.2\tCl1\tHTTP\t0\tMD5\ttext/html\tfn\t0.1\tT\tF\t311\t319\t0\t0\tF\tP\tabc\tdef\tghi\tx",
      null,
      "timestamp=1541001600.580344 | zeek.files.fuid=F3 | zeek.files.session_ids=Cl1 | zeek.files.source=HTTP | zeek.files.depth#0 | zeek.files.analyzers=MD5 | zeek.files.duration#0.1 | zeek.files.local_orig=T | zeek.files.is_orig=F | zeek.files.seen_bytes#311 | zeek.files.missing_bytes#0 | zeek.files.overflow_bytes#0 | zeek.files.timedout=F | zeek.files.parent_fuid=P | zeek.files.extracted=x | server.ip=192.0.2.1 | client.ip=192.0.2.2 | file.mime_type=text/html | file.name=fn | file.size#319 | file.hash.md5=abc | file.hash.sha1=def | file.hash.sha256=ghi"
    ]
  ]
}
