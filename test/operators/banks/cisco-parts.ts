import { refused, type Sample } from "./expected.ts"

/** The parts that Cisco ASA messages share. */
export const samples: ReadonlyArray<Sample> = [
  ["CISCOTIMESTAMP", "Feb  7 2014 16:39:51", "", ""],
  ["CISCOTIMESTAMP", "Feb 27 16:39:51", "", ""],
  refused("CISCOTIMESTAMP", "2014-02-27 16:39:51"),
  ["CISCOTAG", "ASA-6-106100", "", ""],
  refused("CISCOTAG", "ASA-x-106100"),
  ["CISCO_ACTION", "Built", "", ""],
  ["CISCO_ACTION", "Teardown", "", ""],
  ["CISCO_ACTION", "Deny", "", ""],
  ["CISCO_ACTION", "Denied", "", ""],
  ["CISCO_ACTION", "denied", "", ""],
  ["CISCO_ACTION", "requested", "", ""],
  ["CISCO_ACTION", "permitted", "", ""],
  ["CISCO_ACTION", "denied by ACL", "", ""],
  ["CISCO_ACTION", "discarded", "", ""],
  ["CISCO_ACTION", "est-allowed", "", ""],
  ["CISCO_ACTION", "Dropping", "", ""],
  ["CISCO_ACTION", "created", "", ""],
  ["CISCO_ACTION", "deleted", "", ""],
  refused("CISCO_ACTION", "Received"),
  ["CISCO_REASON", "TCP Reset-O", "", ""],
  ["CISCO_REASON", "Duplicate TCP SYN", "", ""],
  refused("CISCO_REASON", "()"),
  ["CISCO_DIRECTION", "Inbound", "", ""],
  ["CISCO_DIRECTION", "outbound", "", ""],
  refused("CISCO_DIRECTION", "INBOUND"),
  ["CISCO_INTERVAL", "first hit", "", ""],
  ["CISCO_INTERVAL", "300-second interval", "", ""],
  refused("CISCO_INTERVAL", "second interval"),
  ["CISCO_XLATE_TYPE", "dynamic", "", ""],
  refused("CISCO_XLATE_TYPE", "portmap"),
  ["CISCO_HITCOUNT_INTERVAL", "hit-cnt 1 first hit", null, "cisco.asa.hit_count#1"],
  ["CISCO_HITCOUNT_INTERVAL", "hit-cnt 3 300-second interval", null, "cisco.asa.hit_count#3 | cisco.asa.interval#300"],
  refused("CISCO_HITCOUNT_INTERVAL", "hit-cnt 3"),
  [
    "CISCO_SRC_IP_USER",
    "inside:192.168.1.1(joe)",
    null,
    "observer.ingress.interface.name=inside | source.ip=192.168.1.1 | source.user.name=joe"
  ],
  ["CISCO_SRC_IP_USER", "inside:2001:db8::1", null, "observer.ingress.interface.name=inside | source.ip=2001:db8::1"],
  refused("CISCO_SRC_IP_USER", "inside 192.168.1.1"),
  [
    "CISCO_DST_IP_USER",
    "outside:192.168.1.1(LOCAL\\joe)",
    null,
    String.raw`
      observer.egress.interface.name=outside | destination.ip=192.168.1.1 | destination.user.name=LOCAL\joe`
  ],
  refused("CISCO_DST_IP_USER", "outside:host"),
  [
    "CISCO_SRC_HOST_PORT_USER",
    "inside:192.168.1.1/8080(joe)",
    null,
    `
      observer.ingress.interface.name=inside | source.ip=192.168.1.1 | source.port#8080 | source.user.name=joe`
  ],
  [
    "CISCO_SRC_HOST_PORT_USER",
    "inside:web-1.example.org/80",
    null,
    "observer.ingress.interface.name=inside | source.address=web-1.example.org | source.port#80"
  ],
  refused("CISCO_SRC_HOST_PORT_USER", "inside/80"),
  [
    "CISCO_DST_HOST_PORT_USER",
    "outside:2001:db8::1/443",
    null,
    "observer.egress.interface.name=outside | destination.ip=2001:db8::1 | destination.port#443"
  ],
  [
    "CISCO_DST_HOST_PORT_USER",
    "outside:web(ann)",
    null,
    "observer.egress.interface.name=outside | destination.address=web | destination.user.name=ann"
  ],
  refused("CISCO_DST_HOST_PORT_USER", "outside")
]
