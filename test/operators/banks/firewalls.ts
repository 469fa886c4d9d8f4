import { refused, type Sample } from "./expected.ts"

/** Netscreen and netfilter lines, and the tag of a Cisco message. */
export const samples: ReadonlyArray<Sample> = [
  [
    "NETSCREENSESSIONLOG",
    'Jun  2 14:53:31 fw-01 isg1000-A2: NetScreen device_id=0000011001000011  [Root]system-notification-00257(traffic): start_time="2006-06-02 14:53:30" duration=1 policy_id=119 service=udp/port:7001 proto=17 src zone=Trust dst zone=DMZ action=Permit sent=10 rcvd=20 src=192.168.2.1 dst=1.2.3.4 src_port=3036 dst_port=7001 src-xlated ip=10.0.0.3 port=3036 dst-xlated ip=10.0.0.4 port=7001 session_id=3223 reason=Close - AGE OUT',
    String.raw`
      date=Jun  2 14:53:31 | device=fw-01 | device_id=0000011001000011 | start_time="\"2006-06-02 14:53:30\"" |
      duration=1 | policy_id=119 | service=udp/port:7001 | proto=17 | src_zone=Trust | dst_zone=DMZ |
      action=Permit | sent=10 | rcvd=20 | src_ip=192.168.2.1 | dst_ip=1.2.3.4 | src_port=3036 | dst_port=7001 |
      src_xlated_ip=10.0.0.3 | src_xlated_port=3036 | dst_xlated_ip=10.0.0.4 | dst_xlated_port=7001 |
      session_id=3223 | reason=Close - AGE OUT`,
    `
      timestamp=Jun  2 14:53:31 | observer.hostname=fw-01 | observer.name=isg1000-A2 | observer.product=NetScreen |
      observer.ingress.zone=Trust | observer.egress.zone=DMZ | netscreen.device_id=0000011001000011 |
      netscreen.session.type=traffic | netscreen.session.start_time=2006-06-02 14:53:30 |
      netscreen.session.duration#1 | netscreen.session.id=3223 | netscreen.session.reason=Close - AGE OUT |
      netscreen.policy_id=119 | netscreen.service=udp/port:7001 | netscreen.protocol_number#17 | event.code=00257 |
      event.action=Permit | source.bytes#10 | source.address=192.168.2.1 | source.port#3036 |
      source.nat.ip=10.0.0.3 | source.nat.port#3036 | destination.bytes#20 | destination.address=1.2.3.4 |
      destination.port#7001 | destination.nat.ip=10.0.0.4 | destination.nat.port#7001`
  ],
  [
    "NETSCREENSESSIONLOG",
    'Jun  2 14:53:31 fw-01 isg1000-A2: NetScreen device_id=0000011001000011  [Root]system-notification-00257(traffic): start_time="2006-06-02 14:53:30" duration=1 policy_id=119 service=udp/port:7001 proto=17 src zone=Trust dst zone=DMZ action=Permit sent=10 rcvd=20 src=192.168.2.1 dst=1.2.3.4 icmp type=8 icmp code=0',
    null,
    `
      timestamp=Jun  2 14:53:31 | observer.hostname=fw-01 | observer.name=isg1000-A2 | observer.product=NetScreen |
      observer.ingress.zone=Trust | observer.egress.zone=DMZ | netscreen.device_id=0000011001000011 |
      netscreen.session.type=traffic | netscreen.session.start_time=2006-06-02 14:53:30 |
      netscreen.session.duration#1 | netscreen.policy_id=119 | netscreen.service=udp/port:7001 |
      netscreen.protocol_number#17 | event.code=00257 | event.action=Permit | source.bytes#10 |
      source.address=192.168.2.1 | destination.bytes#20 | destination.address=1.2.3.4`
  ],
  refused(
    "NETSCREENSESSIONLOG",
    'Jun  2 14:53:31 fw-01 isg1000-A2: SSG device_id=0000011001000011  [Root]system-notification-00257(traffic): start_time="2006-06-02 14:53:30" duration=1 policy_id=119 service=udp/port:7001 proto=17 src zone=Trust dst zone=DMZ action=Permit sent=10 rcvd=20 src=192.168.2.1 dst=1.2.3.4'
  ),
  [
    "CISCO_TAGGED_SYSLOG",
    "<191>Feb 27 16:39:51 fw.example.org: %ASA-6-106100:",
    "syslog_pri=191 | timestamp=Feb 27 16:39:51 | sysloghost=fw.example.org | ciscotag=ASA-6-106100",
    `
      log.syslog.priority#191 | timestamp=Feb 27 16:39:51 | host.hostname=fw.example.org |
      cisco.asa.tag=ASA-6-106100`
  ],
  [
    "CISCO_TAGGED_SYSLOG",
    "<166>Jul 15 2014 08:07:00: %PIX-4-106023:",
    "syslog_pri=166 | timestamp=Jul 15 2014 08:07:00 | ciscotag=PIX-4-106023",
    "log.syslog.priority#166 | timestamp=Jul 15 2014 08:07:00 | cisco.asa.tag=PIX-4-106023"
  ],
  [
    "CISCO_TAGGED_SYSLOG",
    "<166>Jul 15 2014 08:07:00 10.0.0.1 : %FWSM-4-106023: x",
    "syslog_pri=166 | timestamp=Jul 15 2014 08:07:00 | sysloghost=10.0.0.1 | ciscotag=FWSM-4-106023",
    `
      log.syslog.priority#166 | timestamp=Jul 15 2014 08:07:00 | host.hostname=10.0.0.1 |
      cisco.asa.tag=FWSM-4-106023`
  ],
  refused("CISCO_TAGGED_SYSLOG", " <191>Feb 27 16:39:51: %ASA-6-106100:"),
  ["IPTABLES_TCP_FLAGS", "ACK PSH ", null, ""],
  ["^%{IPTABLES_TCP_FLAGS}$", "ACKPSH", null, false],
  [
    "IPTABLES_TCP_PART",
    "SEQ=1 ACK=2 WINDOW=29200 RES=0x00 ACK PSH URGP=0",
    null,
    `
      iptables.tcp.seq#1 | iptables.tcp.ack#2 | iptables.tcp.window#29200 | iptables.tcp.flags="ACK PSH " |
      iptables.tcp_reserved_bits=00`
  ],
  [
    "IPTABLES_TCP_PART",
    "WINDOW=29200 RES=0x00 SYN URGP=0",
    null,
    'iptables.tcp.window#29200 | iptables.tcp.flags="SYN " | iptables.tcp_reserved_bits=00'
  ],
  refused("IPTABLES_TCP_PART", "WINDOW=29200 SYN"),
  ["IPTABLES4_FRAG", "DF MF", null, ""],
  refused("IPTABLES4_FRAG", "XX"),
  [
    "IPTABLES4_PART",
    "SRC=10.0.0.1 DST=10.0.0.2 LEN=60 TOS=0x10 PREC=0x20 TTL=64 ID=1234 MF FRAG:185",
    null,
    `
      source.ip=10.0.0.1 | destination.ip=10.0.0.2 | iptables.length#60 | iptables.tos=10 |
      iptables.precedence_bits=20 | iptables.ttl#64 | iptables.id=1234 | iptables.fragment_flags=MF |
      iptables.fragment_offset#185`
  ],
  [
    "IPTABLES4_PART",
    "SRC=10.0.0.1 DST=10.0.0.2 LEN=60 TOS=0 PREC=0x00 TTL=64 ID=0",
    null,
    `
      source.ip=10.0.0.1 | destination.ip=10.0.0.2 | iptables.length#60 | iptables.precedence_bits=00 |
      iptables.ttl#64 | iptables.id=0`
  ],
  refused("IPTABLES4_PART", "SRC=::1 DST=::2 LEN=60 TOS=0x00 PREC=0x00 TTL=64 ID=0"),
  [
    "IPTABLES6_PART",
    "SRC=fe80::1 DST=ff02::fb LEN=527 TC=0 HOPLIMIT=255 FLOWLBL=804001",
    null,
    `
      source.ip=fe80::1 | destination.ip=ff02::fb | iptables.length#527 | iptables.ttl#255 |
      iptables.flow_label=804001`
  ],
  [
    "IPTABLES6_PART",
    "SRC=fe80::1 DST=ff02::fb LEN=527 TC=0xb8 HOPLIMIT=1 FLOWLBL=0",
    null,
    `
      source.ip=fe80::1 | destination.ip=ff02::fb | iptables.length#527 | iptables.tos=b8 | iptables.ttl#1 |
      iptables.flow_label=0`
  ],
  refused("IPTABLES6_PART", "SRC=fe80::1 DST=ff02::fb LEN=527 HOPLIMIT=255"),
  [
    "IPTABLES",
    "IN=eth2 OUT=eth1 SRC=1.2.3.4 DST=5.6.7.8 LEN=141 TOS=0x00 PREC=0x00 TTL=63 ID=55251 PROTO=UDP SPT=5353 DPT=5353 LEN=121",
    null,
    `
      observer.ingress.interface.name=eth2 | observer.egress.interface.name=eth1 | source.ip=1.2.3.4 |
      source.port#5353 | destination.ip=5.6.7.8 | destination.port#5353 | iptables.length#141 | iptables.tos=00 |
      iptables.precedence_bits=00 | iptables.ttl#63 | iptables.id=55251 | network.transport=UDP`
  ],
  [
    "IPTABLES",
    "IN=eth0 OUT= MAC=52:54:00:12:34:56:00:16:3e:00:00:01:08:00 SRC=10.0.0.1 DST=10.0.0.2 LEN=60 TOS=0x10 PREC=0x20 TTL=64 ID=1234 DF PROTO=TCP SPT=40000 DPT=22 WINDOW=29200 RES=0x00 SYN URGP=0",
    null,
    `
      observer.ingress.interface.name=eth0 | destination.mac=52:54:00:12:34:56 | destination.ip=10.0.0.2 |
      destination.port#22 | source.mac=00:16:3e:00:00:01 | source.ip=10.0.0.1 | source.port#40000 |
      iptables.length#60 | iptables.tos=10 | iptables.precedence_bits=20 | iptables.ttl#64 | iptables.id=1234 |
      iptables.fragment_flags=DF | iptables.tcp.window#29200 | iptables.tcp.flags="SYN " |
      iptables.tcp_reserved_bits=00 | network.transport=TCP`
  ],
  [
    "IPTABLES",
    "IN=br0 OUT=br0 PHYSIN=eth0 PHYSOUT=eth1 MAC= SRC=10.0.0.1 DST=10.0.0.2 LEN=84 TOS=0x00 PREC=0x00 TTL=64 ID=1 PROTO=ICMP TYPE=8 CODE=0 ID=1 SEQ=1",
    null,
    `
      observer.ingress.interface.name=br0 | observer.egress.interface.name=br0 | source.ip=10.0.0.1 |
      destination.ip=10.0.0.2 | iptables.length#84 | iptables.tos=00 | iptables.precedence_bits=00 |
      iptables.ttl#64 | iptables.id=1 | network.transport=ICMP`
  ],
  refused("IPTABLES", "IN=eth0 SRC=10.0.0.1 DST=10.0.0.2"),
  [
    "SHOREWALL",
    "May 28 17:23:25 myHost kernel: [3124658.791874] Shorewall:FORWARD:REJECT:IN=eth2 OUT=eth1 SRC=1.2.3.4 DST=5.6.7.8 LEN=141 TOS=0x00 PREC=0x00 TTL=63 ID=55251 PROTO=UDP SPT=5353 DPT=5353 LEN=121",
    `
      timestamp=May 28 17:23:25 | nf_host=myHost | nf_action1=FORWARD | nf_action2=REJECT | nf_in_interface=eth2 |
      nf_out_interface=eth1 | nf_src_ip=1.2.3.4 | nf_dst_ip=5.6.7.8 | nf_len=141 | nf_tos=0x00 | nf_prec=0x00 |
      nf_ttl=63 | nf_id=55251 | nf_protocol=UDP | nf_src_port=5353 | nf_dst_port=5353`,
    `
      timestamp=May 28 17:23:25 | observer.hostname=myHost | observer.ingress.interface.name=eth2 |
      observer.egress.interface.name=eth1 | shorewall.firewall.type=FORWARD | shorewall.firewall.action=REJECT |
      source.ip=1.2.3.4 | source.port#5353 | destination.ip=5.6.7.8 | destination.port#5353 | iptables.length#141 |
      iptables.tos=00 | iptables.precedence_bits=00 | iptables.ttl#63 | iptables.id=55251 | network.transport=UDP`
  ],
  [
    "SHOREWALL",
    "May 28 17:31:07 server kernel: Shorewall:net2fw:DROP:IN=eth0 OUT= MAC=52:54:00:12:34:56:00:16:3e:00:00:01:08:00 SRC=10.0.0.1 DST=10.0.0.2 LEN=60 TOS=0x10 PREC=0x20 TTL=64 ID=1234 DF PROTO=TCP SPT=40000 DPT=22 WINDOW=29200 RES=0x00 SYN URGP=0",
    `
      timestamp=May 28 17:31:07 | nf_host=server | nf_action1=net2fw | nf_action2=DROP | nf_in_interface=eth0 |
      nf_dst_mac=52:54:00:12:34:56 | nf_src_mac=00:16:3e:00:00:01 | nf_src_ip=10.0.0.1 | nf_dst_ip=10.0.0.2 |
      nf_len=60 | nf_tos=0x10 | nf_prec=0x20 | nf_ttl=64 | nf_id=1234 | nf_protocol=TCP | nf_src_port=40000 |
      nf_dst_port=22`,
    `
      timestamp=May 28 17:31:07 | observer.hostname=server | observer.ingress.interface.name=eth0 |
      shorewall.firewall.type=net2fw | shorewall.firewall.action=DROP | destination.mac=52:54:00:12:34:56 |
      destination.ip=10.0.0.2 | destination.port#22 | source.mac=00:16:3e:00:00:01 | source.ip=10.0.0.1 |
      source.port#40000 | iptables.length#60 | iptables.tos=10 | iptables.precedence_bits=20 | iptables.ttl#64 |
      iptables.id=1234 | iptables.fragment_flags=DF | iptables.tcp.window#29200 | iptables.tcp.flags="SYN " |
      iptables.tcp_reserved_bits=00 | network.transport=TCP`
  ],
  refused(
    "SHOREWALL",
    "May 28 17:23:25 myHost kernel: FORWARD:REJECT:IN=eth2 OUT=eth1 SRC=1.2.3.4 DST=5.6.7.8 LEN=141 TOS=0x00 PREC=0x00 TTL=63 ID=55251 PROTO=UDP SPT=5353 DPT=5353 LEN=121"
  ),
  ["SFW2_LOG_PREFIX", "SFW2-INext-DROP-DEFLT", null, "suse.firewall.action=DROP-DEFLT"],
  refused("SFW2_LOG_PREFIX", "SFW2-INext"),
  [
    "SFW2",
    "Jan 29 23:46:07 IKCS-Web kernel: [1234.5] SFW2-INext-DROP-DEFLT IN=eth0 OUT= MAC=52:54:00:12:34:56:00:16:3e:00:00:01:08:00 SRC=10.0.0.1 DST=10.0.0.2 LEN=60 TOS=0x10 PREC=0x20 TTL=64 ID=1234 DF PROTO=TCP SPT=40000 DPT=22 WINDOW=29200 RES=0x00 SYN URGP=0",
    `
      timestamp=Jan 29 23:46:07 | nagios_epoch=1234.5 | nf_action=DROP-DEFLT | nf_in_interface=eth0 |
      nf_dst_mac=52:54:00:12:34:56 | nf_src_mac=00:16:3e:00:00:01 | nf_src_ip=10.0.0.1 | nf_dst_ip=10.0.0.2 |
      nf_protocol=TCP | nf_src_port=40000 | nf_dst_port=22`,
    `
      timestamp=Jan 29 23:46:07 | observer.hostname=IKCS-Web | observer.ingress.interface.name=eth0 |
      suse.firewall.log_prefix=SFW2-INext-DROP-DEFLT | suse.firewall.action=DROP-DEFLT |
      destination.mac=52:54:00:12:34:56 | destination.ip=10.0.0.2 | destination.port#22 |
      source.mac=00:16:3e:00:00:01 | source.ip=10.0.0.1 | source.port#40000 | iptables.length#60 |
      iptables.tos=10 | iptables.precedence_bits=20 | iptables.ttl#64 | iptables.id=1234 |
      iptables.fragment_flags=DF | iptables.tcp.window#29200 | iptables.tcp.flags="SYN " |
      iptables.tcp_reserved_bits=00 | network.transport=TCP`
  ],
  [
    "SFW2",
    "2020-01-15T11:21:13+01:00 web kernel: SFW2-INext-ACC-RELATED IN=eth0 OUT=eth1 MAC= SRC=fe80:0000:0000:0000:16da:e9ff:feec:a04d DST=ff02:0000:0000:0000:0000:0000:0000:00fb LEN=527 TC=0 HOPLIMIT=255 FLOWLBL=804001 PROTO=UDP SPT=5353 DPT=5353 LEN=487",
    `
      timestamp=2020-01-15T11:21:13+01:00 | nf_action=ACC-RELATED | nf_in_interface=eth0 | nf_out_interface=eth1 |
      nf_src_ip=fe80:0000:0000:0000:16da:e9ff:feec:a04d | nf_dst_ip=ff02:0000:0000:0000:0000:0000:0000:00fb |
      nf_protocol=UDP | nf_src_port=5353 | nf_dst_port=5353`,
    `
      timestamp=2020-01-15T11:21:13+01:00 | observer.hostname=web | observer.ingress.interface.name=eth0 |
      observer.egress.interface.name=eth1 | suse.firewall.log_prefix=SFW2-INext-ACC-RELATED |
      suse.firewall.action=ACC-RELATED | source.ip=fe80:0000:0000:0000:16da:e9ff:feec:a04d | source.port#5353 |
      destination.ip=ff02:0000:0000:0000:0000:0000:0000:00fb | destination.port#5353 | iptables.length#527 |
      iptables.ttl#255 | iptables.flow_label=804001 | network.transport=UDP`
  ],
  refused("SFW2", "Jan 29 23:46:07 web kernel: DROP IN=eth0 OUT= MAC= SRC=10.0.0.1 DST=10.0.0.2 PROTO=TCP")
]
