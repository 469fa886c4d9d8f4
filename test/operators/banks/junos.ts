import { refused, type Sample } from "./expected.ts"

/** Session logs of Juniper SRX. */
export const samples: ReadonlyArray<Sample> = [
  ["RT_FLOW_TAG", "RT_FLOW_SESSION_DENY", null, ""],
  refused("RT_FLOW_TAG", "RT_FLOW_SESSION"),
  ["RT_FLOW_EVENT", "RT_FLOW_SESSION_CLOSE", "", ""],
  refused("RT_FLOW_EVENT", "RT_IDS"),
  [
    "RT_FLOW1",
    "RT_FLOW_SESSION_CLOSE: session closed TCP FIN: 10.0.0.1/59825->192.168.0.1/80 junos-http 10.1.1.1/13404->192.168.0.1/80 src-rule None 6 log-all trust untrust 30000 1(72) 2(188) 3 UNKNOWN UNKNOWN N/A(N/A) ge-0/0/1.0 UNKNOWN",
    `
      event=RT_FLOW_SESSION_CLOSE | close-reason=session closed TCP FIN | src-ip=10.0.0.1 | src-port=59825 |
      dst-ip=192.168.0.1 | dst-port=80 | service=junos-http | nat-src-ip=10.1.1.1 | nat-src-port=13404 |
      nat-dst-ip=192.168.0.1 | nat-dst-port=80 | src-nat-rule-name=src-rule | dst-nat-rule-name=None |
      protocol-id=6 | policy-name=log-all | from-zone=trust | to-zone=untrust | session-id=30000 | sent=72 |
      received=188 | elapsed-time=3`,
    `
      juniper.srx.tag=RT_FLOW_SESSION_CLOSE | juniper.srx.reason=session closed TCP FIN |
      juniper.srx.service_name=junos-http | juniper.srx.src_nat_rule_name=src-rule | juniper.srx.session_id=30000 |
      juniper.srx.elapsed_time#3 | source.ip=10.0.0.1 | source.port#59825 | source.nat.ip=10.1.1.1 |
      source.nat.port#13404 | source.bytes#72 | destination.ip=192.168.0.1 | destination.port#80 |
      destination.nat.ip=192.168.0.1 | destination.nat.port#80 | destination.bytes#188 | network.iana_number=6 |
      rule.name=log-all | observer.ingress.zone=trust | observer.egress.zone=untrust`
  ],
  [
    "RT_FLOW1",
    "RT_FLOW_SESSION_CLOSE: session closed unset: 2001:db8::1/1->2001:db8::2/2 0x0 icmp6 2001:db8::1/1->2001:db8::2/2 0x0 N/A N/A N/A N/A 58 p t u 7 0(0) 0(0) 1 UNKNOWN",
    `
      event=RT_FLOW_SESSION_CLOSE | close-reason=session closed unset | src-ip=2001:db8::1 | src-port=1 |
      dst-ip=2001:db8::2 | dst-port=2 | service=icmp6 | nat-src-ip=2001:db8::1 | nat-src-port=1 |
      nat-dst-ip=2001:db8::2 | nat-dst-port=2 | src-nat-rule-name=N/A | dst-nat-rule-name=N/A | protocol-id=58 |
      policy-name=p | from-zone=t | to-zone=u | session-id=7 | sent=0 | received=0 | elapsed-time=1`,
    `
      juniper.srx.tag=RT_FLOW_SESSION_CLOSE | juniper.srx.reason=session closed unset |
      juniper.srx.service_name=icmp6 | juniper.srx.src_nat_rule_name=N/A | juniper.srx.dst_nat_rule_name=N/A |
      juniper.srx.session_id=7 | juniper.srx.elapsed_time#1 | source.ip=2001:db8::1 | source.port#1 |
      source.nat.ip=2001:db8::1 | source.nat.port#1 | source.bytes#0 | destination.ip=2001:db8::2 |
      destination.port#2 | destination.nat.ip=2001:db8::2 | destination.nat.port#2 | destination.bytes#0 |
      network.iana_number=58 | rule.name=p | observer.ingress.zone=t | observer.egress.zone=u`
  ],
  refused("RT_FLOW1", "RT_FLOW_SESSION_CLOSE: session closed 10.0.0.1/59825->192.168.0.1/80 junos-http"),
  [
    "RT_FLOW2",
    "RT_FLOW_SESSION_CREATE: session created 10.0.0.1/594->10.128.0.1/10400 icmp 10.0.0.1/594->10.128.0.1/10400 None None 1 policy1 untrust trust 456 N/A(N/A) reth2.0 UNKNOWN UNKNOWN UNKNOWN",
    `
      event=RT_FLOW_SESSION_CREATE | src-ip=10.0.0.1 | src-port=594 | dst-ip=10.128.0.1 | dst-port=10400 |
      service=icmp | nat-src-ip=10.0.0.1 | nat-src-port=594 | nat-dst-ip=10.128.0.1 | nat-dst-port=10400 |
      src-nat-rule-name=None | dst-nat-rule-name=None | protocol-id=1 | policy-name=policy1 | from-zone=untrust |
      to-zone=trust | session-id=456`,
    `
      juniper.srx.tag=RT_FLOW_SESSION_CREATE | juniper.srx.service_name=icmp | juniper.srx.session_id=456 |
      source.ip=10.0.0.1 | source.port#594 | source.nat.ip=10.0.0.1 | source.nat.port#594 |
      destination.ip=10.128.0.1 | destination.port#10400 | destination.nat.ip=10.128.0.1 |
      destination.nat.port#10400 | network.iana_number=1 | rule.name=policy1 | observer.ingress.zone=untrust |
      observer.egress.zone=trust`
  ],
  [
    "RT_FLOW2",
    "RT_FLOW_SESSION_CREATE: session created 10.0.0.1/594->10.128.0.1/22 0x0 junos-ssh 1.2.3.4/7->10.128.0.1/22 0x0 source rule r1 N/A N/A 6 p1 a b 456 N/A(N/A) ge-0/0/1.0",
    `
      event=RT_FLOW_SESSION_CREATE | src-ip=10.0.0.1 | src-port=594 | dst-ip=10.128.0.1 | dst-port=22 |
      service=junos-ssh | nat-src-ip=1.2.3.4 | nat-src-port=7 | nat-dst-ip=10.128.0.1 | nat-dst-port=22 |
      src-nat-rule-name=r1 | dst-nat-rule-name=N/A | protocol-id=6 | policy-name=p1 | from-zone=a | to-zone=b |
      session-id=456`,
    `
      juniper.srx.tag=RT_FLOW_SESSION_CREATE | juniper.srx.service_name=junos-ssh |
      juniper.srx.src_nat_rule_name=r1 | juniper.srx.dst_nat_rule_name=N/A | juniper.srx.session_id=456 |
      source.ip=10.0.0.1 | source.port#594 | source.nat.ip=1.2.3.4 | source.nat.port#7 |
      destination.ip=10.128.0.1 | destination.port#22 | destination.nat.ip=10.128.0.1 | destination.nat.port#22 |
      network.iana_number=6 | rule.name=p1 | observer.ingress.zone=a | observer.egress.zone=b`
  ],
  refused("RT_FLOW2", "RT_FLOW_SESSION_CREATE: session denied 10.0.0.1/594->10.128.0.1/10400 icmp"),
  [
    "RT_FLOW3",
    "RT_FLOW_SESSION_DENY: session denied 10.0.0.1/45->10.0.0.2/22 junos-ssh 6(0) default-deny trust untrust UNKNOWN UNKNOWN N/A(N/A) ge-0/0/1.0",
    `
      event=RT_FLOW_SESSION_DENY | src-ip=10.0.0.1 | src-port=45 | dst-ip=10.0.0.2 | dst-port=22 |
      service=junos-ssh | protocol-id=6 | policy-name=default-deny | from-zone=trust | to-zone=untrust`,
    `
      juniper.srx.tag=RT_FLOW_SESSION_DENY | juniper.srx.service_name=junos-ssh | source.ip=10.0.0.1 |
      source.port#45 | destination.ip=10.0.0.2 | destination.port#22 | network.iana_number=6 |
      rule.name=default-deny | observer.ingress.zone=trust | observer.egress.zone=untrust`
  ],
  [
    "RT_FLOW3",
    "RT_FLOW_SESSION_DENY: session denied 10.0.0.1/0->10.0.0.2/1 None 1(8) deny-all a b",
    `
      event=RT_FLOW_SESSION_DENY | src-ip=10.0.0.1 | src-port=0 | dst-ip=10.0.0.2 | dst-port=1 | service=None |
      protocol-id=1 | policy-name=deny-all | from-zone=a | to-zone=b`,
    `
      juniper.srx.tag=RT_FLOW_SESSION_DENY | source.ip=10.0.0.1 | source.port#0 | destination.ip=10.0.0.2 |
      destination.port#1 | network.iana_number=1 | rule.name=deny-all | observer.ingress.zone=a |
      observer.egress.zone=b`
  ],
  refused(
    "RT_FLOW3",
    "RT_FLOW_SESSION_DENY: session denied 10.0.0.1/45->10.0.0.2/22 junos-ssh 6 default-deny trust untrust"
  )
]
