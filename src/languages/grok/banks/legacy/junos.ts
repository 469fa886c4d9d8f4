/**
 * Session logs of Juniper SRX firewalls (RT_FLOW, unstructured syslog), fields as in Logstash before ECS.
 *
 * Names are single words. Newer releases print a connection tag (`0x0`) after each address pair, and the types of the
 * two rules (`source rule`, or `N/A`) before their names.
 */

/** The formats of the three messages. `ref` maps a column to its reference or to the expression around it. */
export const flows = (ref: Readonly<Record<string, string>>) => {
  const pair = (source: string, destination: string) =>
    `${ref[`${source}-ip`]}/${ref[`${source}-port`]}->${ref[`${destination}-ip`]}/${ref[`${destination}-port`]}`
  const word = (name: string, end = " ") => `(?>${ref[name]}${end})`
  const tag = "(?:0x[0-9a-f]+ )?"
  const rule = "(?:(?:source rule|destination rule|static rule|N/A) )??"
  const service = `${pair("src", "dst")} ${tag}${word("service")}`
  const policy = `${word("policy-name")}${word("from-zone")}${word("to-zone", String.raw`(?:\s|\z)`)}`
  const session = [
    `${service}${pair("nat-src", "nat-dst")} ${tag}`,
    `${rule}${word("src-nat-rule-name")}${rule}${word("dst-nat-rule-name")}`,
    `${ref["protocol-id"]} ${policy}${ref["session-id"]}`
  ].join("")
  const traffic = String.raw`[0-9]+\(${ref["sent"]}\) [0-9]+\(${ref["received"]}\) ${ref["elapsed-time"]}(?: .*)?`
  return {
    RT_FLOW1: `${ref["event"]}: (?>${ref["close-reason"]}: (?=[0-9A-Fa-f:.]+/))${session} ${traffic}`,
    RT_FLOW2: `${ref["event"]}: session created ${session}(?: .*)?`,
    RT_FLOW3: String.raw`${ref["event"]}: session denied ${service}${ref["protocol-id"]}\([0-9]+\) ${policy}.*`
  }
}

const fields = (names: string, as: string) =>
  Object.fromEntries(names.split(" ").map((name) => [name, `%{${as}:${name}}`]))

export const patterns: Readonly<Record<string, string>> = {
  RT_FLOW_EVENT: "RT_FLOW_SESSION_(?:CREATE|CLOSE|DENY)",
  ...flows({
    ...fields("event", "RT_FLOW_EVENT"),
    ...fields("close-reason", "GREEDYDATA"),
    ...fields("src-ip dst-ip nat-src-ip nat-dst-ip", "IP"),
    ...fields("src-port dst-port nat-src-port nat-dst-port protocol-id session-id elapsed-time", "INT"),
    ...fields("service src-nat-rule-name dst-nat-rule-name policy-name from-zone to-zone sent received", "DATA")
  })
}
