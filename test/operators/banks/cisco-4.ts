import { refused, type Sample } from "./expected.ts"

/** Cisco ASA messages 402117 to 733100. */
export const samples: ReadonlyArray<Sample> = [
  [
    "CISCOFW402117",
    "IPSEC: Received a non-IPSec packet (protocol= UDP) from 10.1.1.1 to 10.1.1.2.",
    "protocol=IPSEC | orig_protocol=UDP | src_ip=10.1.1.1 | dst_ip=10.1.1.2",
    `
      cisco.asa.network.type=IPSEC | cisco.asa.network.transport=UDP | source.ip=10.1.1.1 | destination.ip=10.1.1.2`
  ],
  refused("CISCOFW402117", "IPSEC: Received a packet (protocol= UDP) from 10.1.1.1 to 10.1.1.2."),
  [
    "CISCOFW402119",
    "IPSEC: Received an ESP packet (SPI= 0x1B86506B, sequence number= 0x28B) from 10.1.1.1 (user= joe) to 10.1.1.2 that failed anti-replay checking.",
    `
      protocol=IPSEC | orig_protocol=ESP | spi=0x1B86506B | seq_num=0x28B | src_ip=10.1.1.1 | user=joe |
      dst_ip=10.1.1.2`,
    `
      cisco.asa.network.type=IPSEC | cisco.asa.ipsec.protocol=ESP | cisco.asa.ipsec.spi=0x1B86506B |
      cisco.asa.ipsec.seq_num=0x28B | source.ip=10.1.1.1 | source.user.name=joe | destination.ip=10.1.1.2`
  ],
  refused("CISCOFW402119", "IPSEC: Received an ESP packet from 10.1.1.1 to 10.1.1.2 that failed anti-replay checking."),
  [
    "CISCOFW419001",
    "Dropping TCP packet from outside:10.1.1.1/8080 to inside:10.1.1.2/55, reason: MSS exceeded, MSS 1460, data 1480",
    `
      action=Dropping | protocol=TCP | src_interface=outside | src_ip=10.1.1.1 | src_port=8080 |
      dst_interface=inside | dst_ip=10.1.1.2 | dst_port=55 | reason=MSS exceeded, MSS 1460, data 1480`,
    `
      cisco.asa.outcome=Dropping | cisco.asa.network.transport=TCP | observer.ingress.interface.name=outside |
      observer.egress.interface.name=inside | source.ip=10.1.1.1 | source.port#8080 | destination.ip=10.1.1.2 |
      destination.port#55 | event.reason=MSS exceeded, MSS 1460, data 1480`
  ],
  refused("CISCOFW419001", "Dropping TCP packet from outside:10.1.1.1 to inside:10.1.1.2, reason: x"),
  [
    "CISCOFW419002",
    "%ASA-4-419002: Duplicate TCP SYN from fw111:10.10.10.10/55226 to out111:10.10.10.11/2600 with different initial sequence number",
    `
      reason=Duplicate TCP SYN | src_interface=fw111 | src_ip=10.10.10.10 | src_port=55226 | dst_interface=out111 |
      dst_ip=10.10.10.11 | dst_port=2600`,
    `
      event.reason=Duplicate TCP SYN | observer.ingress.interface.name=fw111 |
      observer.egress.interface.name=out111 | source.ip=10.10.10.10 | source.port#55226 |
      destination.ip=10.10.10.11 | destination.port#2600`
  ],
  refused("CISCOFW419002", "Duplicate TCP SYN from fw111:10.10.10.10/55226 to out111:10.10.10.11/2600"),
  [
    "CISCOFW500004",
    "%ASA-4-500004: Invalid transport field for protocol=TCP, from 10.0.0.1/1234 to 10.0.0.2/0",
    `
      reason=Invalid transport field | protocol=TCP | src_ip=10.0.0.1 | src_port=1234 | dst_ip=10.0.0.2 |
      dst_port=0`,
    `
      event.reason=Invalid transport field | cisco.asa.network.transport=TCP | source.ip=10.0.0.1 |
      source.port#1234 | destination.ip=10.0.0.2 | destination.port#0`
  ],
  refused("CISCOFW500004", "Invalid transport field for TCP, from 10.0.0.1/1234 to 10.0.0.2/0"),
  [
    "CISCOFW602303_602304",
    "%ASA-6-602303: IPSEC: An outbound LAN-to-LAN SA (SPI= 0xF81283) between 91.240.17.178 and 192.168.2.2 (user= admin) has been created.",
    `
      protocol=IPSEC | direction=outbound | tunnel_type=LAN-to-LAN | spi=0xF81283 | src_ip=91.240.17.178 |
      dst_ip=192.168.2.2 | user=admin | action=created`,
    `
      cisco.asa.network.type=IPSEC | cisco.asa.network.direction=outbound |
      cisco.asa.ipsec.tunnel_type=LAN-to-LAN | cisco.asa.ipsec.spi=0xF81283 | cisco.asa.outcome=created |
      source.ip=91.240.17.178 | source.user.name=admin | destination.ip=192.168.2.2`
  ],
  [
    "CISCOFW602303_602304",
    "IPSEC: An inbound remote access SA (SPI= 0xF81283) between 2001:db8::1 and 2001:db8::2 (user= DefaultL2LGroup) has been deleted.",
    `
      protocol=IPSEC | direction=inbound | tunnel_type=remote access | spi=0xF81283 | src_ip=2001:db8::1 |
      dst_ip=2001:db8::2 | user=DefaultL2LGroup | action=deleted`,
    `
      cisco.asa.network.type=IPSEC | cisco.asa.network.direction=inbound |
      cisco.asa.ipsec.tunnel_type=remote access | cisco.asa.ipsec.spi=0xF81283 | cisco.asa.outcome=deleted |
      source.ip=2001:db8::1 | source.user.name=DefaultL2LGroup | destination.ip=2001:db8::2`
  ],
  refused("CISCOFW602303_602304", "IPSEC: An outbound SA (SPI= 0xF81283) has been created."),
  [
    "CISCOFW710001_710002_710003_710005_710006",
    "TCP access requested from 192.168.1.2/2354 to inside:192.168.1.1/443",
    `
      protocol=TCP | action=requested | src_ip=192.168.1.2 | src_port=2354 | dst_interface=inside |
      dst_ip=192.168.1.1 | dst_port=443`,
    `
      cisco.asa.network.transport=TCP | cisco.asa.outcome=requested | source.ip=192.168.1.2 | source.port#2354 |
      observer.egress.interface.name=inside | destination.ip=192.168.1.1 | destination.port#443`
  ],
  [
    "CISCOFW710001_710002_710003_710005_710006",
    "TCP access denied by ACL from 192.168.1.2/2354 to inside:192.168.1.1/22",
    `
      protocol=TCP | action=denied by ACL | src_ip=192.168.1.2 | src_port=2354 | dst_interface=inside |
      dst_ip=192.168.1.1 | dst_port=22`,
    `
      cisco.asa.network.transport=TCP | cisco.asa.outcome=denied by ACL | source.ip=192.168.1.2 |
      source.port#2354 | observer.egress.interface.name=inside | destination.ip=192.168.1.1 | destination.port#22`
  ],
  [
    "CISCOFW710001_710002_710003_710005_710006",
    "OSPF request discarded from 192.168.1.2 to inside:224.0.0.5",
    "protocol=OSPF | action=discarded | src_ip=192.168.1.2 | dst_interface=inside | dst_ip=224.0.0.5",
    `
      cisco.asa.network.transport=OSPF | cisco.asa.outcome=discarded | source.ip=192.168.1.2 |
      observer.egress.interface.name=inside | destination.ip=224.0.0.5`
  ],
  refused(
    "CISCOFW710001_710002_710003_710005_710006",
    "TCP session requested from 192.168.1.2/2354 to inside:192.168.1.1/443"
  ),
  [
    "CISCOFW713172",
    "Group = 212.9.5.245, IP = 212.9.5.245, Automatic NAT Detection Status:    Remote end is NOT behind a NAT device    This  end  IS  behind a NAT device",
    "group=212.9.5.245 | src_ip=212.9.5.245 | is_remote_natted=is NOT | is_local_natted=IS",
    `
      cisco.asa.source.group=212.9.5.245 | source.ip=212.9.5.245 | @metadata.cisco.asa.remote_nat=is NOT |
      @metadata.cisco.asa.local_nat=IS`
  ],
  refused(
    "CISCOFW713172",
    "Group = a, IP = 212.9.5.245, Automatic NAT Detection Status:    Remote end is NOT behind a NAT device"
  ),
  [
    "CISCOFW733100",
    "[ Scanning] drop rate-1 exceeded. Current burst rate is 43 per second, max configured rate is 10; Current average rate is 34 per second, max configured rate is 5; Cumulative total count is 20893",
    `
      drop_type=Scanning | drop_rate_id=rate-1 | drop_rate_current_burst=43 | drop_rate_max_burst=10 |
      drop_rate_current_avg=34 | drop_rate_max_avg=5 | drop_total_count=20893`,
    `
      cisco.asa.burst.object=Scanning | cisco.asa.burst.id=rate-1 | cisco.asa.burst.current_rate#43 |
      cisco.asa.burst.configured_rate#10 | cisco.asa.burst.avg_rate#34 | cisco.asa.burst.configured_avg_rate#5 |
      cisco.asa.burst.cumulative_count#20893`
  ],
  refused("CISCOFW733100", "[ Scanning] drop rate-1 exceeded.")
]
