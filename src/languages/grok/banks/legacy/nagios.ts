/**
 * The log of Nagios: alerts, states, notifications, checks, downtimes and external commands, fields as in Logstash
 * before ECS. The kind of an entry is followed by its fields, separated by semicolons; only the last field may contain
 * one. A lazy last field captures nothing unless the expression continues, even with a `$`, as in the original
 * patterns.
 */

/** The names and types of the fields in a pattern set. */
interface NagiosFields {
  readonly time: string
  readonly type: string
  readonly command: string
  readonly host: string
  readonly service: string
  readonly state: string
  /** HARD or SOFT where Nagios reports the state it starts with. */
  readonly stateType: string
  readonly stateAttempt: string
  /** HARD or SOFT in an alert. */
  readonly level: string
  readonly attempt: string
  readonly message: string
  readonly comment: string
  readonly contact: string
  readonly notificationCommand: string
  readonly eventHandler: string
  readonly period: readonly [from: string, to: string]
  readonly checkResult: string
  /** Start, end, whether fixed, the id of the triggering downtime, seconds. */
  readonly downtime: readonly [string, string, string, string, string]
  readonly author: string
  readonly downtimeComment: string
}

const stateKinds = ["CURRENT SERVICE STATE", "CURRENT HOST STATE"]
const eventKinds = [
  ["SERVICE NOTIFICATION", "HOST NOTIFICATION", "SERVICE ALERT", "HOST ALERT", "SERVICE FLAPPING ALERT"],
  ["HOST FLAPPING ALERT", "SERVICE DOWNTIME ALERT", "HOST DOWNTIME ALERT", "PASSIVE SERVICE CHECK"],
  ["PASSIVE HOST CHECK", "SERVICE EVENT HANDLER", "HOST EVENT HANDLER"]
].flat()

const commands = [
  ["DISABLE_SVC_CHECK", "ENABLE_SVC_CHECK", "DISABLE_HOST_CHECK", "ENABLE_HOST_CHECK"],
  ["PROCESS_SERVICE_CHECK_RESULT", "PROCESS_HOST_CHECK_RESULT", "SCHEDULE_SERVICE_DOWNTIME"],
  ["SCHEDULE_HOST_DOWNTIME", "DISABLE_HOST_SVC_NOTIFICATIONS", "ENABLE_HOST_SVC_NOTIFICATIONS"],
  ["DISABLE_HOST_NOTIFICATIONS", "ENABLE_HOST_NOTIFICATIONS", "DISABLE_SVC_NOTIFICATIONS"],
  ["ENABLE_SVC_NOTIFICATIONS"]
].flat()

const named = (kind: string) => kind.replaceAll(" ", "_")

/** Each of `fields` up to its semicolon, then `last`. */
const separated = (fields: ReadonlyArray<string>, last: string) =>
  fields
    .map((field) => `(?>${field};)`)
    .join("")
    .concat(last)

export const nagios = (field: NagiosFields): Readonly<Record<string, string>> => {
  const entry = (kind: string, fields: ReadonlyArray<string>, last: string): readonly [string, string] => [
    `NAGIOS_${named(kind)}`,
    `%{NAGIOS_TYPE_${named(kind)}:${field.type}}: ${separated(fields, last)}`
  ]
  const command = (name: string, fields: ReadonlyArray<string>, last: string): readonly [string, string] => [
    `NAGIOS_EC_LINE_${name}`,
    [
      `%{NAGIOS_TYPE_EXTERNAL_COMMAND:${field.type}}: %{NAGIOS_EC_${name}:${field.command}};`,
      separated(fields, last)
    ].join("")
  ]
  const { host, service, state } = field
  const greedy = (reference: string) => reference.replace("%{DATA:", "%{GREEDYDATA:")

  const entries = [
    entry("CURRENT SERVICE STATE", [host, service, state, field.stateType, field.stateAttempt], field.message),
    entry("CURRENT HOST STATE", [host, state, field.stateType, field.stateAttempt], field.message),
    entry("SERVICE NOTIFICATION", [field.contact, host, service, state, field.notificationCommand], field.message),
    entry("HOST NOTIFICATION", [field.contact, host, state, field.notificationCommand], field.message),
    entry("SERVICE ALERT", [host, service, state, field.level, field.attempt], field.message),
    entry("HOST ALERT", [host, state, field.level, field.attempt], field.message),
    entry("SERVICE FLAPPING ALERT", [host, service, state], field.message),
    entry("HOST FLAPPING ALERT", [host, state], field.message),
    entry("SERVICE DOWNTIME ALERT", [host, service, state], field.comment),
    entry("HOST DOWNTIME ALERT", [host, state], field.comment),
    entry("PASSIVE SERVICE CHECK", [host, service, state], field.comment),
    entry("PASSIVE HOST CHECK", [host, state], field.comment),
    entry("SERVICE EVENT HANDLER", [host, service, state, field.level], `(?:[0-9]+;)?${field.eventHandler}`),
    entry("HOST EVENT HANDLER", [host, state, field.level], `(?:[0-9]+;)?${field.eventHandler}`),
    entry("TIMEPERIOD TRANSITION", [service, field.period[0]], field.period[1])
  ]
  const lines = [
    command("DISABLE_SVC_CHECK", [host], service),
    command("ENABLE_SVC_CHECK", [host], service),
    command("DISABLE_HOST_CHECK", [], host),
    command("ENABLE_HOST_CHECK", [], host),
    command("PROCESS_HOST_CHECK_RESULT", [host, state], field.checkResult),
    command("PROCESS_SERVICE_CHECK_RESULT", [host, service, state], field.checkResult),
    command("SCHEDULE_HOST_DOWNTIME", [host, ...field.downtime, field.author], field.downtimeComment),
    command("DISABLE_HOST_SVC_NOTIFICATIONS", [], greedy(host)),
    command("ENABLE_HOST_SVC_NOTIFICATIONS", [], greedy(host)),
    command("DISABLE_HOST_NOTIFICATIONS", [], greedy(host)),
    command("ENABLE_HOST_NOTIFICATIONS", [], greedy(host)),
    command("DISABLE_SVC_NOTIFICATIONS", [host], greedy(service)),
    command("ENABLE_SVC_NOTIFICATIONS", [host], greedy(service))
  ]
  const alternatives = ["NAGIOS_WARNING", ...entries.map(([name]) => name), ...lines.map(([name]) => name)]
  const kinds = [...stateKinds, ...eventKinds, "EXTERNAL COMMAND", "TIMEPERIOD TRANSITION"]

  return {
    NAGIOSTIME: String.raw`\[${field.time}\]`,
    ...Object.fromEntries(kinds.map((kind) => [`NAGIOS_TYPE_${named(kind)}`, kind])),
    ...Object.fromEntries(commands.map((name) => [`NAGIOS_EC_${name}`, name])),
    NAGIOS_WARNING: `Warning:%{SPACE}${field.message}`,
    ...Object.fromEntries(entries),
    ...Object.fromEntries(lines),
    NAGIOSLOGLINE: `%{NAGIOSTIME} (?:${alternatives.map((name) => `%{${name}}`).join("|")})`
  }
}

export const patterns: Readonly<Record<string, string>> = nagios({
  time: "%{NUMBER:nagios_epoch}",
  type: "nagios_type",
  command: "nagios_command",
  host: "%{DATA:nagios_hostname}",
  service: "%{DATA:nagios_service}",
  state: "%{DATA:nagios_state}",
  stateType: "%{DATA:nagios_statetype}",
  stateAttempt: "%{DATA:nagios_statecode}",
  level: "%{DATA:nagios_statelevel}",
  attempt: "%{NUMBER:nagios_attempt}",
  message: "%{GREEDYDATA:nagios_message}",
  comment: "%{GREEDYDATA:nagios_comment}",
  contact: "%{DATA:nagios_notifyname}",
  notificationCommand: "%{DATA:nagios_contact}",
  eventHandler: "%{DATA:nagios_event_handler_name}",
  period: ["%{NUMBER:nagios_unknown1}", "%{NUMBER:nagios_unknown2}"],
  checkResult: "%{GREEDYDATA:nagios_check_result}",
  downtime: [
    "%{NUMBER:nagios_start_time}",
    "%{NUMBER:nagios_end_time}",
    "%{NUMBER:nagios_fixed}",
    "%{NUMBER:nagios_trigger_id}",
    "%{NUMBER:nagios_duration}"
  ],
  author: "%{DATA:author}",
  downtimeComment: "%{DATA:comment}"
})
