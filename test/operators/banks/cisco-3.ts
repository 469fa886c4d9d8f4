import { refused, type Sample } from "./expected.ts"

/** Cisco ASA messages 110002 to 321001. */
export const samples: ReadonlyArray<Sample> = [
  [
    "CISCOFW304001",
    "10.20.30.40(joe) Accessed URL 192.168.1.1:http://example.com/a?b=c",
    "src_ip=10.20.30.40 | src_fwuser=joe | dst_ip=192.168.1.1 | dst_url=http://example.com/a?b=c",
    `
      source.ip=10.20.30.40 | source.user.name=joe | destination.ip=192.168.1.1 |
      url.original=http://example.com/a?b=c`
  ],
  refused("CISCOFW304001", "10.20.30.40 Accessed 192.168.1.1:/"),
  [
    "CISCOFW110002",
    "Failed to locate egress interface for TCP from inside:10.0.0.1/80 to 10.0.0.2/81",
    `
      reason=Failed to locate egress interface | protocol=TCP | src_interface=inside | src_ip=10.0.0.1 |
      src_port=80 | dst_ip=10.0.0.2 | dst_port=81`,
    `
      event.reason=Failed to locate egress interface | cisco.asa.network.transport=TCP |
      observer.ingress.interface.name=inside | source.ip=10.0.0.1 | source.port#80 | destination.ip=10.0.0.2 |
      destination.port#81`
  ],
  refused("CISCOFW110002", "Failed to locate egress interface for TCP"),
  [
    "CISCOFW302010",
    "2 in use, 15 most used",
    "connection_count=2 | connection_count_max=15",
    "cisco.asa.connections.in_use#2 | cisco.asa.connections.most_used#15"
  ],
  refused("CISCOFW302010", "2 in use"),
  [
    "CISCOFW302013_302014_302015_302016",
    "Built outbound TCP connection 11757 for outside:100.66.205.104/80 (100.66.205.104/80) to inside:172.31.98.44/1758 (172.31.98.45/1759)",
    `
      action=Built | direction=outbound | protocol=TCP | connection_id=11757 | src_interface=outside |
      src_ip=100.66.205.104 | src_port=80 | src_mapped_ip=100.66.205.104 | src_mapped_port=80 |
      dst_interface=inside | dst_ip=172.31.98.44 | dst_port=1758 | dst_mapped_ip=172.31.98.45 |
      dst_mapped_port=1759`,
    `
      cisco.asa.outcome=Built | cisco.asa.network.direction=outbound | cisco.asa.network.transport=TCP |
      cisco.asa.connection_id=11757 | observer.ingress.interface.name=outside |
      observer.egress.interface.name=inside | source.ip=100.66.205.104 | source.port#80 |
      source.nat.ip=100.66.205.104 | source.nat.port#80 | destination.ip=172.31.98.44 | destination.port#1758 |
      destination.nat.ip=172.31.98.45 | destination.nat.port#1759`
  ],
  [
    "CISCOFW302013_302014_302015_302016",
    "Built inbound UDP connection 7 for outside:2001:db8::1/80 (2001:db8::1/80)(LOCAL\\joe) to inside:2001:db8::2/53 (2001:db8::2/53)(LOCAL\\ann) (joe)",
    String.raw`
      action=Built | direction=inbound | protocol=UDP | connection_id=7 | src_interface=outside |
      src_ip=2001:db8::1 | src_port=80 | src_mapped_ip=2001:db8::1 | src_mapped_port=80 | src_fwuser=LOCAL\joe |
      dst_interface=inside | dst_ip=2001:db8::2 | dst_port=53 | dst_mapped_ip=2001:db8::2 | dst_mapped_port=53 |
      dst_fwuser=LOCAL\ann | user=joe`,
    String.raw`
      cisco.asa.outcome=Built | cisco.asa.network.direction=inbound | cisco.asa.network.transport=UDP |
      cisco.asa.connection_id=7 | observer.ingress.interface.name=outside | observer.egress.interface.name=inside |
      source.ip=2001:db8::1 | source.port#80 | source.nat.ip=2001:db8::1 | source.nat.port#80 |
      source.user.name=LOCAL\joe | destination.ip=2001:db8::2 | destination.port#53 |
      destination.nat.ip=2001:db8::2 | destination.nat.port#53 | destination.user.name=LOCAL\ann | user.name=joe`
  ],
  [
    "CISCOFW302013_302014_302015_302016",
    "Teardown TCP connection 11749 for outside:100.66.211.242/80(joe) to inside:172.31.98.44/1758 duration 0:01:07 bytes 38110 TCP FINs (ann)",
    `
      action=Teardown | protocol=TCP | connection_id=11749 | src_interface=outside | src_ip=100.66.211.242 |
      src_port=80 | src_fwuser=joe | dst_interface=inside | dst_ip=172.31.98.44 | dst_port=1758 |
      duration=0:01:07 | bytes=38110 | reason=TCP FINs | user=ann`,
    `
      cisco.asa.outcome=Teardown | cisco.asa.network.transport=TCP | cisco.asa.connection_id=11749 |
      cisco.asa.duration=0:01:07 | observer.ingress.interface.name=outside |
      observer.egress.interface.name=inside | source.ip=100.66.211.242 | source.port#80 | source.user.name=joe |
      destination.ip=172.31.98.44 | destination.port#1758 | network.bytes#38110 | event.reason=TCP FINs |
      user.name=ann`
  ],
  [
    "CISCOFW302013_302014_302015_302016",
    "Teardown TCP connection 11749 for outside:100.66.211.242/80 to inside:172.31.98.44/1758 duration 100:01:07 bytes 38110 TCP Reset-O",
    `
      action=Teardown | protocol=TCP | connection_id=11749 | src_interface=outside | src_ip=100.66.211.242 |
      src_port=80 | dst_interface=inside | dst_ip=172.31.98.44 | dst_port=1758 | bytes=38110 | reason=TCP Reset-O`,
    `
      cisco.asa.outcome=Teardown | cisco.asa.network.transport=TCP | cisco.asa.connection_id=11749 |
      observer.ingress.interface.name=outside | observer.egress.interface.name=inside | source.ip=100.66.211.242 |
      source.port#80 | destination.ip=172.31.98.44 | destination.port#1758 | network.bytes#38110 |
      event.reason=TCP Reset-O`
  ],
  refused(
    "CISCOFW302013_302014_302015_302016",
    "Built outbound TCP connection 11757 for outside:100.66.205.104 to inside:172.31.98.44"
  ),
  [
    "CISCOFW302020_302021",
    "Built inbound ICMP connection for faddr 10.0.0.1/6(joe) gaddr 10.0.0.2/7 laddr 10.0.0.3/8",
    `
      action=Built | direction=inbound | protocol=ICMP | dst_ip=10.0.0.1 | icmp_seq_num=6 | fwuser=joe |
      src_xlated_ip=10.0.0.2 | icmp_code_xlated=7 | src_ip=10.0.0.3 | icmp_code=8`,
    `
      cisco.asa.outcome=Built | cisco.asa.network.direction=inbound | cisco.asa.network.transport=ICMP |
      cisco.asa.icmp_seq#6 | cisco.asa.icmp_type#7 | destination.ip=10.0.0.1 | destination.user.name=joe |
      source.nat.ip=10.0.0.2 | source.ip=10.0.0.3`
  ],
  [
    "CISCOFW302020_302021",
    "Teardown ICMP connection for faddr 10.0.0.1/6 gaddr 10.0.0.2/7 laddr 10.0.0.3/8 (ann)",
    `
      action=Teardown | protocol=ICMP | dst_ip=10.0.0.1 | icmp_seq_num=6 | src_xlated_ip=10.0.0.2 |
      icmp_code_xlated=7 | src_ip=10.0.0.3 | icmp_code=8 | user=ann`,
    `
      cisco.asa.outcome=Teardown | cisco.asa.network.transport=ICMP | cisco.asa.icmp_seq#6 |
      cisco.asa.icmp_type#7 | destination.ip=10.0.0.1 | source.nat.ip=10.0.0.2 | source.ip=10.0.0.3 |
      source.user.name=ann`
  ],
  refused("CISCOFW302020_302021", "Built inbound ICMP connection for faddr 10.0.0.1 gaddr 10.0.0.2 laddr 10.0.0.3"),
  [
    "CISCOFW305011",
    "Built dynamic TCP translation from inside:172.29.5.193/4545(joe) to outside:100.70.0.1/1024",
    `
      action=Built | xlate_type=dynamic | protocol=TCP | src_interface=inside | src_ip=172.29.5.193 |
      src_port=4545 | src_fwuser=joe | src_xlated_interface=outside | src_xlated_ip=100.70.0.1`,
    `
      cisco.asa.outcome=Built | cisco.asa.network.transport=TCP | observer.ingress.interface.name=inside |
      observer.egress.interface.name=outside | source.ip=172.29.5.193 | source.port#4545 | source.user.name=joe |
      destination.ip=100.70.0.1 | destination.port#1024`
  ],
  [
    "CISCOFW305011",
    "Teardown static TCP translation from inside:172.29.5.193/4545 to outside:100.70.0.1/1024",
    `
      action=Teardown | xlate_type=static | protocol=TCP | src_interface=inside | src_ip=172.29.5.193 |
      src_port=4545 | src_xlated_interface=outside | src_xlated_ip=100.70.0.1`,
    `
      cisco.asa.outcome=Teardown | cisco.asa.network.transport=TCP | observer.ingress.interface.name=inside |
      observer.egress.interface.name=outside | source.ip=172.29.5.193 | source.port#4545 |
      destination.ip=100.70.0.1 | destination.port#1024`
  ],
  [
    "%{CISCOFW305011}$",
    "Built dynamic TCP translation from inside:172.29.5.193/4545 to outside:100.70.0.1/1024",
    `
      action=Built | xlate_type=dynamic | protocol=TCP | src_interface=inside | src_ip=172.29.5.193 | src_port=4545 |
      src_xlated_interface=outside | src_xlated_ip=100.70.0.1 | src_xlated_port=1024`,
    null
  ],
  refused("CISCOFW305011", "Built dynamic TCP translation from inside:172.29.5.193/4545"),
  [
    "CISCOFW313001_313004_313008",
    "Denied ICMP type=3, code=3 from 10.2.3.5 on interface Outside",
    "action=Denied | protocol=ICMP | icmp_type=3 | icmp_code=3 | src_ip=10.2.3.5",
    `
      cisco.asa.outcome=Denied | cisco.asa.network.transport=ICMP | cisco.asa.icmp_type#3 | cisco.asa.icmp_code#3 |
      source.ip=10.2.3.5 | observer.egress.interface.name=Outside`
  ],
  [
    "CISCOFW313001_313004_313008",
    "Denied ICMP type=0, from laddr 10.2.3.5 on interface out to 10.2.3.6: no matching session",
    "action=Denied | protocol=ICMP | icmp_type=0 | src_ip=10.2.3.5",
    `
      cisco.asa.outcome=Denied | cisco.asa.network.transport=ICMP | cisco.asa.icmp_type#0 | source.ip=10.2.3.5 |
      observer.egress.interface.name=out | destination.ip=10.2.3.6`
  ],
  [
    "%{CISCOFW313001_313004_313008}$",
    "Denied ICMP type=0, code=1 from 10.2.3.5 on interface out to 10.2.3.6",
    `
      action=Denied | protocol=ICMP | icmp_type=0 | icmp_code=1 | src_ip=10.2.3.5 | interface=out |
      dst_ip=10.2.3.6`,
    null
  ],
  refused("CISCOFW313001_313004_313008", "Denied ICMP from 10.2.3.5 on interface Outside"),
  [
    "CISCOFW313005",
    "No matching connection for ICMP error message: icmp src out111:10.1.1.2(eve) dst fw111:10.1.1.1(joe) (type 3, code 3) on out111 interface.  Original IP payload: udp src 10.1.1.1/53(bob) dst 10.1.1.2/54321(ann).",
    `
      reason=No matching connection | protocol=ICMP | protocol=udp | err_protocol=icmp | err_src_interface=out111 |
      err_src_ip=10.1.1.2 | err_src_fwuser=eve | err_dst_interface=fw111 | err_dst_ip=10.1.1.1 |
      err_dst_fwuser=joe | err_icmp_type=3 | err_icmp_code=3 | interface=out111 | orig_src_ip=10.1.1.1 |
      orig_src_port=53 | orig_src_fwuser=bob | orig_dst_ip=10.1.1.2 | orig_dst_port=54321 | orig_dst_fwuser=ann`,
    `
      event.reason=No matching connection | cisco.asa.network.transport=ICMP | cisco.asa.icmp_type#3 |
      cisco.asa.icmp_code#3 | cisco.asa.original_ip_payload.network.transport=udp |
      cisco.asa.original_ip_payload.source.ip=10.1.1.1 | cisco.asa.original_ip_payload.source.port#53 |
      cisco.asa.original_ip_payload.source.user.name=bob | cisco.asa.original_ip_payload.destination.ip=10.1.1.2 |
      cisco.asa.original_ip_payload.destination.port#54321 |
      cisco.asa.original_ip_payload.destination.user.name=ann | observer.ingress.interface.name=out111 |
      observer.egress.interface.name=fw111 | source.ip=10.1.1.2 | source.user.name=eve | destination.ip=10.1.1.1 |
      destination.user.name=joe`
  ],
  [
    "CISCOFW313005",
    "No matching connection for ICMP error message: icmp src a:10.1.1.2 dst b:10.1.1.1 (type 3, code 1) on a interface. Original IP payload: icmp src 10.1.1.1 dst 10.1.1.2 (type 8, code 0).",
    `
      reason=No matching connection | protocol=ICMP | protocol=icmp | err_protocol=icmp | err_src_interface=a |
      err_src_ip=10.1.1.2 | err_dst_interface=b | err_dst_ip=10.1.1.1 | err_icmp_type=3 | err_icmp_code=1 |
      interface=a | orig_src_ip=10.1.1.1 | orig_dst_ip=10.1.1.2`,
    `
      event.reason=No matching connection | cisco.asa.network.transport=ICMP | cisco.asa.icmp_type#3 |
      cisco.asa.icmp_code#1 | cisco.asa.original_ip_payload.network.transport=icmp |
      cisco.asa.original_ip_payload.source.ip=10.1.1.1 | cisco.asa.original_ip_payload.destination.ip=10.1.1.2 |
      observer.ingress.interface.name=a | observer.egress.interface.name=b | source.ip=10.1.1.2 |
      destination.ip=10.1.1.1`
  ],
  refused(
    "CISCOFW313005",
    "No matching connection for ICMP error message: icmp src a:10.1.1.2 dst b:10.1.1.1 on a interface."
  ),
  [
    "CISCOFW321001",
    "Resource 'conns' limit of 100000 reached for system",
    "resource_name=conns | resource_limit=100000",
    "cisco.asa.resource.name=conns | cisco.asa.resource.limit#100000"
  ],
  refused("CISCOFW321001", "Resource 'conns' limit reached")
]
