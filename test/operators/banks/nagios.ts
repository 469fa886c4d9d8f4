import { plain, refused, type Sample } from "./expected.ts"

const kinds = [
  ["CURRENT SERVICE STATE", "CURRENT HOST STATE", "SERVICE NOTIFICATION", "HOST NOTIFICATION", "SERVICE ALERT"],
  ["HOST ALERT", "SERVICE FLAPPING ALERT", "HOST FLAPPING ALERT", "SERVICE DOWNTIME ALERT", "HOST DOWNTIME ALERT"],
  ["PASSIVE SERVICE CHECK", "PASSIVE HOST CHECK", "SERVICE EVENT HANDLER", "HOST EVENT HANDLER", "EXTERNAL COMMAND"],
  ["TIMEPERIOD TRANSITION"]
].flat()

const commands = [
  ["DISABLE_SVC_CHECK", "ENABLE_SVC_CHECK", "DISABLE_HOST_CHECK", "ENABLE_HOST_CHECK"],
  ["PROCESS_SERVICE_CHECK_RESULT", "PROCESS_HOST_CHECK_RESULT", "SCHEDULE_SERVICE_DOWNTIME"],
  ["SCHEDULE_HOST_DOWNTIME", "DISABLE_HOST_SVC_NOTIFICATIONS", "ENABLE_HOST_SVC_NOTIFICATIONS"],
  ["DISABLE_HOST_NOTIFICATIONS", "ENABLE_HOST_NOTIFICATIONS", "DISABLE_SVC_NOTIFICATIONS"],
  ["ENABLE_SVC_NOTIFICATIONS"]
].flat()

/** Legacy and ECS names for the words in the lines below. */
const legacyNames: Readonly<Record<string, string>> = {
  kind: "nagios_type",
  command: "nagios_command",
  host: "nagios_hostname",
  service: "nagios_service",
  state: "nagios_state",
  hard: "nagios_statetype",
  code: "nagios_statecode",
  level: "nagios_statelevel",
  attempt: "nagios_attempt",
  message: "nagios_message",
  comment: "nagios_comment",
  contact: "nagios_notifyname",
  notification: "nagios_contact",
  handler: "nagios_event_handler_name",
  from: "nagios_unknown1",
  to: "nagios_unknown2",
  result: "nagios_check_result",
  start: "nagios_start_time",
  end: "nagios_end_time",
  fixed: "nagios_fixed",
  trigger: "nagios_trigger_id",
  seconds: "nagios_duration",
  author: "author",
  note: "comment"
}
const ecsNames: Readonly<Record<string, string>> = {
  kind: "nagios.log.type",
  command: "nagios.log.command",
  host: "host.hostname",
  service: "service.name",
  state: "service.state",
  hard: "nagios.log.state_type",
  code: "nagios.log.attempt#",
  level: "nagios.log.state_type",
  attempt: "nagios.log.attempt#",
  message: "message",
  comment: "nagios.log.comment",
  contact: "user.name",
  notification: "nagios.log.notification_command",
  handler: "nagios.log.event_handler_name",
  from: "nagios.log.period_from#",
  to: "nagios.log.period_to#",
  result: "nagios.log.check_result",
  start: "nagios.log.start_time",
  end: "nagios.log.end_time",
  fixed: "nagios.log.fixed",
  trigger: "nagios.log.trigger_id",
  seconds: "nagios.log.duration#",
  author: "user.name",
  note: "nagios.log.comment"
}

const named = (names: Readonly<Record<string, string>>, values: Readonly<Record<string, string>>): string =>
  Object.entries(values)
    .map(([name, value]) => {
      const field = names[name]!
      return field.endsWith("#") ? `${field}${value}` : `${field}=${value === value.trim() ? value : `"${value}"`}`
    })
    .join(" | ")

/** An entry alone and as a line of the log, and the same without everything after its first field. */
const entry = (name: string, text: string, values: Readonly<Record<string, string>>): ReadonlyArray<Sample> => {
  const kind = text.slice(0, text.indexOf(":"))
  const legacy = named(legacyNames, { kind, ...values })
  const ecs = named(ecsNames, { kind, ...values })
  return [
    [`NAGIOS_${name}`, text, legacy, ecs],
    ["NAGIOSLOGLINE", `[1427925600] ${text}`, `nagios_epoch=1427925600 | ${legacy}`, `timestamp=1427925600 | ${ecs}`],
    refused(
      `NAGIOS_${name}`,
      /^[^;]*;[^;]*;/.test(text) ? text.slice(0, text.indexOf(";") + 1) : text.replace(": ", ":")
    )
  ]
}

/** The same for an entry whose last field is lazy: it only captures something if an end follows in the expression. */
const lazyEntry = (
  name: string,
  text: string,
  values: Readonly<Record<string, string>>,
  last: Readonly<Record<string, string>>
): ReadonlyArray<Sample> => [
  ...entry(name, text, values),
  ...entry(name, text, { ...values, ...last })
    .slice(0, 2)
    .map(([pattern, line, legacy, ecs]): Sample => [`%{${pattern}}$`, line, legacy, ecs])
]

const lazyCommand = (
  text: string,
  values: Readonly<Record<string, string>>,
  last: Readonly<Record<string, string>>
): ReadonlyArray<Sample> => {
  const name = text.slice(0, text.indexOf(";"))
  return lazyEntry(`EC_LINE_${name}`, `EXTERNAL COMMAND: ${text}`, { command: name, ...values }, last)
}

const command = (text: string, values: Readonly<Record<string, string>>): ReadonlyArray<Sample> => {
  const name = text.slice(0, text.indexOf(";"))
  return entry(`EC_LINE_${name}`, `EXTERNAL COMMAND: ${text}`, { command: name, ...values })
}

const host = "web-1"

/** The log of Nagios. */
export const samples: ReadonlyArray<Sample> = [
  ...kinds.flatMap((kind) => plain(`NAGIOS_TYPE_${kind.replaceAll(" ", "_")}`, kind, kind.replaceAll(" ", "_"))),
  ...commands.flatMap((name) => plain(`NAGIOS_EC_${name}`, name, name.replaceAll("_", " "))),
  ["NAGIOSTIME", "[1427925600]", "nagios_epoch=1427925600", "timestamp=1427925600"],
  refused("NAGIOSTIME", "1427925600"),
  ["NAGIOS_WARNING", "Warning:  Return code of 127", "nagios_message=Return code of 127", "message=Return code of 127"],
  refused("NAGIOS_WARNING", "Caution: x"),
  refused("NAGIOSLOGLINE", "[1427925600] Nagios 4.0.8 starting... (PID=1)"),
  ...entry("CURRENT_SERVICE_STATE", "CURRENT SERVICE STATE: web-1;SSH;OK;HARD;1;SSH OK;x", {
    host,
    service: "SSH",
    state: "OK",
    hard: "HARD",
    code: "1",
    message: "SSH OK;x"
  }),
  ...entry("CURRENT_HOST_STATE", "CURRENT HOST STATE: web-1;UP;HARD;1;PING OK - Packet loss = 0%, RTA = 2.24 ms", {
    host,
    state: "UP",
    hard: "HARD",
    code: "1",
    message: "PING OK - Packet loss = 0%, RTA = 2.24 ms"
  }),
  ...entry("SERVICE_NOTIFICATION", "SERVICE NOTIFICATION: admin;web-1;SSH;CRITICAL;notify-by-email;CRITICAL - x", {
    contact: "admin",
    host,
    service: "SSH",
    state: "CRITICAL",
    notification: "notify-by-email",
    message: "CRITICAL - x"
  }),
  ...entry("HOST_NOTIFICATION", "HOST NOTIFICATION: admin;web-1;DOWN;host-notify-by-email;CRITICAL - Unreachable", {
    contact: "admin",
    host,
    state: "DOWN",
    notification: "host-notify-by-email",
    message: "CRITICAL - Unreachable"
  }),
  ...entry("SERVICE_ALERT", "SERVICE ALERT: web-1;Web Site;CRITICAL;SOFT;1;CRITICAL - x", {
    host,
    service: "Web Site",
    state: "CRITICAL",
    level: "SOFT",
    attempt: "1",
    message: "CRITICAL - x"
  }),
  ...entry("HOST_ALERT", "HOST ALERT: web-1;DOWN;HARD;10;CRITICAL - Host Unreachable (10.0.0.1)", {
    host,
    state: "DOWN",
    level: "HARD",
    attempt: "10",
    message: "CRITICAL - Host Unreachable (10.0.0.1)"
  }),
  ...entry("SERVICE_FLAPPING_ALERT", "SERVICE FLAPPING ALERT: web-1;SSH;STARTED; Service appears to be flapping", {
    host,
    service: "SSH",
    state: "STARTED",
    message: " Service appears to be flapping"
  }),
  ...entry("HOST_FLAPPING_ALERT", "HOST FLAPPING ALERT: web-1;STOPPED; Host appears to have stopped flapping", {
    host,
    state: "STOPPED",
    message: " Host appears to have stopped flapping"
  }),
  ...entry("SERVICE_DOWNTIME_ALERT", "SERVICE DOWNTIME ALERT: web-1;SSH;STARTED; Service has entered downtime", {
    host,
    service: "SSH",
    state: "STARTED",
    comment: " Service has entered downtime"
  }),
  ...entry("HOST_DOWNTIME_ALERT", "HOST DOWNTIME ALERT: web-1;STOPPED; Host has exited from downtime", {
    host,
    state: "STOPPED",
    comment: " Host has exited from downtime"
  }),
  ...entry("PASSIVE_SERVICE_CHECK", "PASSIVE SERVICE CHECK: web-1;Backup;0;all good", {
    host,
    service: "Backup",
    state: "0",
    comment: "all good"
  }),
  ...entry("PASSIVE_HOST_CHECK", "PASSIVE HOST CHECK: web-1;0;Host is up", { host, state: "0", comment: "Host is up" }),
  ...lazyEntry(
    "SERVICE_EVENT_HANDLER",
    "SERVICE EVENT HANDLER: web-1;HTTP;CRITICAL;SOFT;3;restart-httpd",
    {
      host,
      service: "HTTP",
      state: "CRITICAL",
      level: "SOFT"
    },
    { handler: "restart-httpd" }
  ),
  ...lazyEntry(
    "HOST_EVENT_HANDLER",
    "HOST EVENT HANDLER: web-1;DOWN;SOFT;wake-up",
    {
      host,
      state: "DOWN",
      level: "SOFT"
    },
    { handler: "wake-up" }
  ),
  ...entry("TIMEPERIOD_TRANSITION", "TIMEPERIOD TRANSITION: 24X7;-1;1", { service: "24X7", from: "-1", to: "1" }),
  ...lazyCommand("DISABLE_SVC_CHECK;web-1;SSH check", { host }, { service: "SSH check" }),
  ...lazyCommand("ENABLE_SVC_CHECK;web-1;SSH", { host }, { service: "SSH" }),
  ...lazyCommand("DISABLE_HOST_CHECK;web-1", {}, { host }),
  ...lazyCommand("ENABLE_HOST_CHECK;web-1", {}, { host }),
  ...command("PROCESS_SERVICE_CHECK_RESULT;web-1;Backup;2;failed; see log", {
    host,
    service: "Backup",
    state: "2",
    result: "failed; see log"
  }),
  ...command("PROCESS_HOST_CHECK_RESULT;web-1;0;up", { host, state: "0", result: "up" }),
  ...command("DISABLE_HOST_SVC_NOTIFICATIONS;web-1", { host }),
  ...command("ENABLE_HOST_SVC_NOTIFICATIONS;web-1", { host }),
  ...command("DISABLE_HOST_NOTIFICATIONS;web-1", { host }),
  ...command("ENABLE_HOST_NOTIFICATIONS;web-1", { host }),
  ...command("DISABLE_SVC_NOTIFICATIONS;web-1;SSH", { host, service: "SSH" }),
  ...command("ENABLE_SVC_NOTIFICATIONS;web-1;SSH", { host, service: "SSH" }),
  ...lazyCommand(
    "SCHEDULE_HOST_DOWNTIME;web-1;1427950200;1427953800;1;0;3600;admin;new disk",
    {
      host,
      start: "1427950200",
      end: "1427953800",
      fixed: "1",
      trigger: "0",
      seconds: "3600",
      author: "admin"
    },
    { note: "new disk" }
  )
]
