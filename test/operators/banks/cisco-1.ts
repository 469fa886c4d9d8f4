import { refused, type Sample } from "./expected.ts"

/** Cisco ASA messages 104001 to 106100. */
export const samples: ReadonlyArray<Sample> = [
  [
    "CISCOFW104001",
    "(Secondary) Switching to ACTIVE - Service card in other unit has failed",
    "switch_reason=Service card in other unit has failed",
    "event.reason=Service card in other unit has failed"
  ],
  refused("CISCOFW104001", "(Secondary) Switching to STANDBY - x"),
  [
    "CISCOFW104002",
    "(Primary) Switching to STANDBY - Other unit wants me Standby",
    "switch_reason=Other unit wants me Standby",
    "event.reason=Other unit wants me Standby"
  ],
  refused("CISCOFW104002", "(Primary) Switching to OK."),
  ["CISCOFW104003", "(Primary) Switching to FAILED.", "", ""],
  refused("CISCOFW104003", "(Primary) Switching to OK."),
  ["CISCOFW104004", "(Primary) Switching to OK.", "", ""],
  refused("CISCOFW104004", "(Other) Switching to OK."),
  [
    "CISCOFW105003",
    "(Primary) Monitoring on interface GigabitEthernet0/1 waiting",
    "interface_name=GigabitEthernet0/1",
    "network.interface.name=GigabitEthernet0/1"
  ],
  refused("CISCOFW105003", "(Primary) Monitoring on interface inside normal"),
  [
    "CISCOFW105004",
    "(Primary) Monitoring on Interface inside normal",
    "interface_name=inside",
    "network.interface.name=inside"
  ],
  refused("CISCOFW105004", "(Primary) Monitoring on Interface inside"),
  [
    "CISCOFW105005",
    "(Secondary) Lost Failover communications with mate on interface outside",
    "interface_name=outside",
    "network.interface.name=outside"
  ],
  refused("CISCOFW105005", "Lost Failover communications"),
  ["CISCOFW105008", "(Primary) Testing Interface outside", "interface_name=outside", "network.interface.name=outside"],
  refused("CISCOFW105008", "(Primary) Testing"),
  [
    "CISCOFW105009",
    "(Primary) Testing on interface inside Passed",
    "interface_name=inside",
    "network.interface.name=inside"
  ],
  refused("CISCOFW105009", "(Primary) Testing on interface inside"),
  [
    "CISCOFW106001",
    "ASA-2-106001: Inbound TCP connection denied from 192.168.2.2/43803 to 10.10.10.10/14322 flags SYN ACK on interface out111",
    `
      direction=Inbound | protocol=TCP | action=denied | src_ip=192.168.2.2 | src_port=43803 | dst_ip=10.10.10.10 |
      dst_port=14322 | tcp_flags=SYN ACK | interface=out111`,
    `
      cisco.asa.network.direction=Inbound | cisco.asa.network.transport=TCP | cisco.asa.outcome=denied |
      cisco.asa.tcp_flags=SYN ACK | source.ip=192.168.2.2 | source.port#43803 | destination.ip=10.10.10.10 |
      destination.port#14322 | observer.egress.interface.name=out111`
  ],
  refused("CISCOFW106001", "Inbound TCP connection denied from 192.168.2.2 to 10.10.10.10 flags SYN on interface x"),
  [
    "CISCOFW106006_106007_106010",
    "%ASA-2-106006: Deny inbound UDP from 10.0.0.1/138 to 10.0.0.255/138 on interface inside",
    `
      action=Deny | direction=inbound | protocol=UDP | src_ip=10.0.0.1 | src_port=138 | dst_ip=10.0.0.255 |
      dst_port=138`,
    `
      cisco.asa.outcome=Deny | cisco.asa.network.direction=inbound | cisco.asa.network.transport=UDP |
      source.ip=10.0.0.1 | source.port#138 | destination.ip=10.0.0.255 | destination.port#138 |
      observer.egress.interface.name=inside`
  ],
  [
    "CISCOFW106006_106007_106010",
    "%ASA-2-106007: Deny inbound UDP from 10.0.0.1/138(joe) to 10.0.0.255/53(ann) due to DNS Query",
    `
      action=Deny | direction=inbound | protocol=UDP | src_ip=10.0.0.1 | src_port=138 | src_fwuser=joe |
      dst_ip=10.0.0.255 | dst_port=53 | dst_fwuser=ann | reason=DNS Query`,
    `
      cisco.asa.outcome=Deny | cisco.asa.network.direction=inbound | cisco.asa.network.transport=UDP |
      source.ip=10.0.0.1 | source.port#138 | source.user.name=joe | destination.ip=10.0.0.255 |
      destination.port#53 | destination.user.name=ann | event.reason=DNS Query`
  ],
  [
    "%{CISCOFW106006_106007_106010}$",
    "Deny inbound UDP from 10.0.0.1/138 to 10.0.0.255/138 on interface inside",
    `
      action=Deny | direction=inbound | protocol=UDP | src_ip=10.0.0.1 | src_port=138 | dst_ip=10.0.0.255 |
      dst_port=138 | interface=inside`,
    null
  ],
  refused("CISCOFW106006_106007_106010", "Deny inbound UDP from 10.0.0.1/138 to 10.0.0.255/138"),
  [
    "CISCOFW106014",
    "Deny inbound icmp src fw111:10.10.10.10(ann) dst out111:10.10.10.11(joe) (type 8, code 0)",
    `
      action=Deny | direction=inbound | protocol=icmp | src_interface=fw111 | src_ip=10.10.10.10 | src_fwuser=ann |
      dst_interface=out111 | dst_ip=10.10.10.11 | dst_fwuser=joe | icmp_type=8 | icmp_code=0`,
    `
      cisco.asa.outcome=Deny | cisco.asa.network.direction=inbound | cisco.asa.network.transport=icmp |
      cisco.asa.icmp_type#8 | cisco.asa.icmp_code#0 | observer.ingress.interface.name=fw111 |
      observer.egress.interface.name=out111 | source.ip=10.10.10.10 | source.user.name=ann |
      destination.ip=10.10.10.11 | destination.user.name=joe`
  ],
  refused("CISCOFW106014", "Deny inbound icmp src fw111:10.10.10.10 dst out111:10.10.10.11"),
  [
    "CISCOFW106015",
    "Deny TCP (no connection) from 192.168.150.65/2278 to 64.101.128.83/80 flags RST ACK  on interface eth0",
    `
      action=Deny | protocol=TCP | policy_id=no connection | src_ip=192.168.150.65 | src_port=2278 |
      dst_ip=64.101.128.83 | dst_port=80 | tcp_flags=RST ACK | interface=eth0`,
    `
      cisco.asa.outcome=Deny | cisco.asa.network.transport=TCP | cisco.asa.rule_name=no connection |
      cisco.asa.tcp_flags=RST ACK | source.ip=192.168.150.65 | source.port#2278 | destination.ip=64.101.128.83 |
      destination.port#80 | observer.egress.interface.name=eth0`
  ],
  refused("CISCOFW106015", "Deny TCP from 192.168.150.65/2278 to 64.101.128.83/80 flags RST on interface eth0"),
  [
    "CISCOFW106021",
    "Deny TCP reverse path check from 192.168.1.1 to 192.168.1.2 on interface inside",
    "action=Deny | protocol=TCP | src_ip=192.168.1.1 | dst_ip=192.168.1.2 | interface=inside",
    `
      cisco.asa.outcome=Deny | cisco.asa.network.transport=TCP | source.ip=192.168.1.1 |
      destination.ip=192.168.1.2 | observer.egress.interface.name=inside`
  ],
  refused("CISCOFW106021", "Deny TCP check from 192.168.1.1 to 192.168.1.2 on interface inside"),
  [
    "CISCOFW106023",
    'Deny tcp src outside:192.168.1.1/50240(joe) dst inside:web.example.org/23(ann) by access-group "S_OUTSIDE_TO_INSIDE" [0x54c7fa80, 0x0]',
    `
      action=Deny | protocol=tcp | src_interface=outside | src_ip=192.168.1.1 | src_port=50240 | src_fwuser=joe |
      dst_interface=inside | dst_ip=web.example.org | dst_port=23 | dst_fwuser=ann |
      policy_id=S_OUTSIDE_TO_INSIDE | hashcode1=0x54c7fa80 | hashcode2=0x0`,
    `
      cisco.asa.outcome=Deny | cisco.asa.network.transport=tcp | cisco.asa.rule_name=S_OUTSIDE_TO_INSIDE |
      observer.ingress.interface.name=outside | observer.egress.interface.name=inside | source.ip=192.168.1.1 |
      source.port#50240 | source.user.name=joe | destination.address=web.example.org | destination.port#23 |
      destination.user.name=ann | @metadata.cisco.asa.hashcode1=0x54c7fa80 | @metadata.cisco.asa.hashcode2=0x0`
  ],
  [
    "CISCOFW106023",
    "Deny icmp src dmz:2001:db8::1 dst outside:2001:db8::2 (type 3, code 1) by access-group acl_dmz [0xe3aab522, 0x0]",
    `
      action=Deny | protocol=icmp | src_interface=dmz | src_ip=2001:db8::1 | dst_interface=outside |
      dst_ip=2001:db8::2 | icmp_type=3 | icmp_code=1 | policy_id=acl_dmz | hashcode1=0xe3aab522 | hashcode2=0x0`,
    `
      cisco.asa.outcome=Deny | cisco.asa.network.transport=icmp | cisco.asa.icmp_type#3 | cisco.asa.icmp_code#1 |
      cisco.asa.rule_name=acl_dmz | observer.ingress.interface.name=dmz | observer.egress.interface.name=outside |
      source.ip=2001:db8::1 | destination.ip=2001:db8::2 | @metadata.cisco.asa.hashcode1=0xe3aab522 |
      @metadata.cisco.asa.hashcode2=0x0`
  ],
  [
    "CISCOFW106023",
    'Deny protocol 103 src outside:192.168.1.1 dst inside:192.168.1.2 by access-group "X" [0x54c7fa80, 0x0]',
    `
      action=Deny | protocol=103 | src_interface=outside | src_ip=192.168.1.1 | dst_interface=inside |
      dst_ip=192.168.1.2 | policy_id=X | hashcode1=0x54c7fa80 | hashcode2=0x0`,
    `
      cisco.asa.outcome=Deny | cisco.asa.network.transport=103 | cisco.asa.rule_name=X |
      observer.ingress.interface.name=outside | observer.egress.interface.name=inside | source.ip=192.168.1.1 |
      destination.ip=192.168.1.2 | @metadata.cisco.asa.hashcode1=0x54c7fa80 | @metadata.cisco.asa.hashcode2=0x0`
  ],
  refused("CISCOFW106023", 'Deny tcp src outside:192.168.1.1/50240 dst inside:192.168.1.2/23 by access-group "X"'),
  [
    "CISCOFW106100_2_3",
    "access-list acl_in permitted udp for user 'joe' inside/10.0.0.16(2013) -> outside/192.168.0.89(2014) hit-cnt 5 300-second interval [0x4e7ad3d0, 0x0]",
    `
      policy_id=acl_in | action=permitted | protocol=udp | src_fwuser=joe | src_interface=inside |
      src_ip=10.0.0.16 | src_port=2013 | dst_interface=outside | dst_ip=192.168.0.89 | dst_port=2014 |
      hit_count=5 | interval=300-second interval | hashcode1=0x4e7ad3d0 | hashcode2=0x0`,
    `
      cisco.asa.rule_name=acl_in | cisco.asa.outcome=permitted | cisco.asa.network.transport=udp |
      cisco.asa.hit_count#5 | cisco.asa.interval#300 | user.name=joe | observer.ingress.interface.name=inside |
      observer.egress.interface.name=outside | source.ip=10.0.0.16 | source.port#2013 |
      destination.ip=192.168.0.89 | destination.port#2014 | @metadata.cisco.asa.hashcode1=0x4e7ad3d0 |
      @metadata.cisco.asa.hashcode2=0x0`
  ],
  [
    "CISCOFW106100_2_3",
    "access-list acl_in denied tcp for user joe inside/10.0.0.16(2013) -> outside/192.168.0.89(2014) hit-cnt 1 first hit [0x4e7ad3d0, 0x0]",
    `
      policy_id=acl_in | action=denied | protocol=tcp | src_fwuser=joe | src_interface=inside | src_ip=10.0.0.16 |
      src_port=2013 | dst_interface=outside | dst_ip=192.168.0.89 | dst_port=2014 | hit_count=1 |
      interval=first hit | hashcode1=0x4e7ad3d0 | hashcode2=0x0`,
    `
      cisco.asa.rule_name=acl_in | cisco.asa.outcome=denied | cisco.asa.network.transport=tcp |
      cisco.asa.hit_count#1 | user.name=joe | observer.ingress.interface.name=inside |
      observer.egress.interface.name=outside | source.ip=10.0.0.16 | source.port#2013 |
      destination.ip=192.168.0.89 | destination.port#2014 | @metadata.cisco.asa.hashcode1=0x4e7ad3d0 |
      @metadata.cisco.asa.hashcode2=0x0`
  ],
  refused(
    "CISCOFW106100_2_3",
    "access-list acl_in denied tcp inside/10.0.0.16(2013) -> outside/192.168.0.89(2014) hit-cnt 1 first hit [0x4e7ad3d0, 0x0]"
  ),
  [
    "CISCOFW106100",
    "access-list inside permitted tcp inside/10.10.123.45(51763) -> outside/192.168.67.89(80) hit-cnt 1 first hit [0x62c4905, 0x0]",
    `
      policy_id=inside | action=permitted | protocol=tcp | src_interface=inside | src_ip=10.10.123.45 |
      src_port=51763 | dst_interface=outside | dst_ip=192.168.67.89 | dst_port=80 | hit_count=1 |
      interval=first hit | hashcode1=0x62c4905 | hashcode2=0x0`,
    `
      cisco.asa.rule_name=inside | cisco.asa.outcome=permitted | cisco.asa.network.transport=tcp |
      cisco.asa.hit_count#1 | observer.ingress.interface.name=inside | observer.egress.interface.name=outside |
      source.ip=10.10.123.45 | source.port#51763 | destination.ip=192.168.67.89 | destination.port#80 |
      @metadata.cisco.asa.hashcode1=0x62c4905 | @metadata.cisco.asa.hashcode2=0x0`
  ],
  [
    "CISCOFW106100",
    "access-list inside est-allowed udp inside/10.1.2.3(51763)(joe) -> outside/192.168.67.89(80) hit-cnt 2 300-second interval [0x62c4905, 0x0]",
    `
      policy_id=inside | action=est-allowed | protocol=udp | src_interface=inside | src_ip=10.1.2.3 |
      src_port=51763 | src_fwuser=joe | dst_interface=outside | dst_ip=192.168.67.89 | dst_port=80 | hit_count=2 |
      interval=300-second interval | hashcode1=0x62c4905 | hashcode2=0x0`,
    `
      cisco.asa.rule_name=inside | cisco.asa.outcome=est-allowed | cisco.asa.network.transport=udp |
      cisco.asa.hit_count#2 | observer.ingress.interface.name=inside | observer.egress.interface.name=outside |
      source.ip=10.1.2.3 | source.port#51763 | source.user.name=joe | destination.ip=192.168.67.89 |
      destination.port#80 | @metadata.cisco.asa.hashcode1=0x62c4905 | @metadata.cisco.asa.hashcode2=0x0`
  ],
  refused("CISCOFW106100", "access-list inside permitted tcp inside/10.10.123.45(51763) hit-cnt 1")
]
