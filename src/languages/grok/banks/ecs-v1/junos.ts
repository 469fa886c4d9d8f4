/** Session logs of Juniper SRX firewalls, fields by the Elastic Common Schema; `None` leaves a field unset. */

import { flows } from "../legacy/junos.ts"

const known = (reference: string) => `(?:None(?= )|${reference})`

export const patterns: Readonly<Record<string, string>> = {
  RT_FLOW_TAG: "RT_FLOW_SESSION_(?:CREATE|CLOSE|DENY)",
  /** The older name of RT_FLOW_TAG. */
  RT_FLOW_EVENT: "RT_FLOW_SESSION_(?:CREATE|CLOSE|DENY)",
  ...flows({
    event: "%{RT_FLOW_TAG:[juniper][srx][tag]}",
    "close-reason": "%{GREEDYDATA:[juniper][srx][reason]}",
    "src-ip": "%{IP:[source][ip]}",
    "src-port": "%{INT:[source][port]:int}",
    "dst-ip": "%{IP:[destination][ip]}",
    "dst-port": "%{INT:[destination][port]:int}",
    service: known("%{DATA:[juniper][srx][service_name]}"),
    "nat-src-ip": "%{IP:[source][nat][ip]}",
    "nat-src-port": "%{INT:[source][nat][port]:int}",
    "nat-dst-ip": "%{IP:[destination][nat][ip]}",
    "nat-dst-port": "%{INT:[destination][nat][port]:int}",
    "src-nat-rule-name": known("%{DATA:[juniper][srx][src_nat_rule_name]}"),
    "dst-nat-rule-name": known("%{DATA:[juniper][srx][dst_nat_rule_name]}"),
    "protocol-id": "%{INT:[network][iana_number]}",
    "policy-name": "%{DATA:[rule][name]}",
    "from-zone": "%{DATA:[observer][ingress][zone]}",
    "to-zone": "%{DATA:[observer][egress][zone]}",
    "session-id": "%{INT:[juniper][srx][session_id]}",
    sent: "%{INT:[source][bytes]:int}",
    received: "%{INT:[destination][bytes]:int}",
    "elapsed-time": "%{INT:[juniper][srx][elapsed_time]:int}"
  })
}
