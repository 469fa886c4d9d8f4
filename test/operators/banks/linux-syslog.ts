import type { Row, Samples } from "./sample.ts"

const base: ReadonlyArray<Row> = [
  ["timestamp", "timestamp", "Mar 16 00:01:25"],
  ["logsource", "host.hostname", "evita"]
]
const postfix: ReadonlyArray<Row> = [
  ...base,
  ["program", "process.name", "postfix/smtpd"],
  ["pid", "process.pid", 1713]
]
const header: ReadonlyArray<Row> = [
  ["syslog5424_pri", "log.syslog.priority", 165],
  ["syslog5424_ver", "system.syslog.version", "1"],
  ["syslog5424_ts", "timestamp", "2003-10-11T22:14:15.003Z"],
  ["syslog5424_host", "host.hostname", "mymachine.example.com"],
  ["syslog5424_app", "process.name", "evntslog"]
]

export const samples: Samples = {
  texts: {
    SYSLOG5424PRINTASCII: { yes: ["a", "!~", "[x]"], no: ["", "a b", "é"] },
    CRON_ACTION: { yes: ["CMD", "BEGIN EDIT", "info"], no: ["", "CMD ", "C1"] },
    SYSLOG5424SD: {
      yes: ['[id a="b"]', '[id1 foo="bar"][id2 baz="x y"]', '[id a="b \\] c"]', "[x@1]"],
      no: ["", "-", "[id", 'id a="b"]']
    }
  },
  lines: [
    { name: "SYSLOG5424PRI", line: "<34>1", rows: [["syslog5424_pri", "log.syslog.priority", 34]] },
    { name: "SYSLOGBASE2", line: "Mar 16 00:01:25 evita postfix/smtpd[1713]: x", rows: postfix },
    {
      name: "SYSLOGBASE2",
      line: "2024-03-16T00:01:25.123+01:00 evita kernel: x",
      rows: [
        ["timestamp8601", "timestamp", "2024-03-16T00:01:25.123+01:00"],
        ["logsource", "host.hostname", "evita"],
        ["program", "process.name", "kernel"]
      ]
    },
    {
      name: "SYSLOGLINE",
      line: "Jan 11 22:33:44 su: 'su root' failed for ann on /dev/pts/8",
      only: "ecs-v1",
      rows: [
        ["", "timestamp", "Jan 11 22:33:44"],
        ["", "process.name", "su"],
        ["", "message", "'su root' failed for ann on /dev/pts/8"]
      ]
    },
    { name: "SYSLOGBASE2", line: "Jan 11 22:33:44", only: "ecs-v1", rows: [["", "timestamp", "Jan 11 22:33:44"]] },
    {
      name: "SYSLOGLINE",
      line: "Mar 16 00:01:25 evita postfix/smtpd[1713]: connect from camomile[168.100.1.3]: ok",
      rows: [...postfix, ["message", "message", "connect from camomile[168.100.1.3]: ok"]]
    },
    {
      name: "SYSLOGLINE",
      line: "Mar 16 00:01:25 evita last message repeated 2 times",
      rows: [...base, ["message", "message", "last message repeated 2 times"]]
    },
    {
      name: "SYSLOGLINE",
      line: "Mar 16 00:01:25 <4.6> fe80::1 a:b:c: d",
      rows: [
        ["timestamp", "timestamp", "Mar 16 00:01:25"],
        ["facility", "log.syslog.facility.code", 4],
        ["priority", "log.syslog.priority", 6],
        ["logsource", "host.hostname", "fe80::1"],
        ["program", "process.name", "a:b:c"],
        ["message", "message", "d"]
      ]
    },
    {
      name: "SYSLOGPAMSESSION",
      line: "Mar 16 00:01:25 evita sshd[99]: pam_unix(sshd:session): session opened for user root by (uid=0)",
      rows: [
        ...base,
        ["program", "process.name", "sshd"],
        ["pid", "process.pid", 99],
        ["message", "message", "pam_unix(sshd:session): session opened for user root by (uid=0)"],
        ["pam_module", "system.auth.pam.module", "pam_unix"],
        ["pam_caller", "system.auth.pam.origin", "sshd:session"],
        ["pam_session_state", "system.auth.pam.session_state", "opened"],
        ["username", "user.name", "root"],
        ["pam_by", "", "(uid=0)"]
      ]
    },
    {
      name: "SYSLOGPAMSESSION",
      line: "Mar 16 00:01:25 evita su: pam_unix(su:session): session closed for user www-data(uid=33)",
      rows: [
        ...base,
        ["program", "process.name", "su"],
        ["message", "message", "pam_unix(su:session): session closed for user www-data(uid=33)"],
        ["pam_module", "system.auth.pam.module", "pam_unix"],
        ["pam_caller", "system.auth.pam.origin", "su:session"],
        ["pam_session_state", "system.auth.pam.session_state", "closed"],
        ["username", "user.name", "www-data"]
      ]
    },
    {
      name: "CRONLOG",
      line: "Mar 16 00:01:25 evita CRON[1234]: (root) CMD (  [ -x /a ] && (b; c) )",
      rows: [
        ...base,
        ["program", "process.name", "CRON"],
        ["pid", "process.pid", 1234],
        ["user", "user.name", "root"],
        ["action", "system.cron.action", "CMD"],
        ["message", "message", "  [ -x /a ] && (b; c) "]
      ]
    },
    {
      name: "CRONLOG",
      line: "Mar 16 00:01:25 evita crontab[1]: (ann) BEGIN EDIT (ann) (more) and so on",
      rows: [
        ...base,
        ["program", "process.name", "crontab"],
        ["pid", "process.pid", 1],
        ["user", "user.name", "ann"],
        ["action", "system.cron.action", "BEGIN EDIT"],
        ["message", "message", "ann"]
      ]
    },
    {
      name: "SYSLOG5424BASE",
      line: "<165>1 2003-10-11T22:14:15.003Z mymachine.example.com evntslog 8710 ID47 - BOM",
      rows: [...header, ["syslog5424_proc", "process.pid", 8710], ["syslog5424_msgid", "event.code", "ID47"]]
    },
    {
      name: "SYSLOG5424LINE",
      line:
        "<165>1 2003-10-11T22:14:15.003Z mymachine.example.com evntslog - ID47 " +
        '[ex@32473 iut="3" e="[a\\]"] An [app] event',
      rows: [
        ...header,
        ["syslog5424_msgid", "event.code", "ID47"],
        ["syslog5424_sd", "system.syslog.structured_data", '[ex@32473 iut="3" e="[a\\]"]'],
        ["syslog5424_msg", "message", "An [app] event"]
      ]
    },
    {
      name: "SYSLOG5424LINE",
      line: "<165>1 2003-10-11T22:14:15.003Z mymachine.example.com evntslog worker-7 - [a][b] text",
      rows: [
        ...header,
        ["syslog5424_proc", "", "worker-7"],
        ["syslog5424_sd", "system.syslog.structured_data", "[a][b]"],
        ["syslog5424_msg", "message", "text"]
      ]
    },
    {
      name: "SYSLOG5424LINE",
      line: "<165>1 - - - - - -",
      rows: header.slice(0, 2)
    },
    {
      name: "SYSLOG5424LINE",
      line: "<165>1 - - - - - only a message",
      rows: [...header.slice(0, 2), ["syslog5424_msg", "message", "only a message"]]
    }
  ],
  misses: {
    SYSLOGBASE2: ["Mar 16 evita x: y", "16/Mar/2024:00:01:25 evita x: y"],
    SYSLOGLINE: ["Mar 16 00:01:25", "no time at all"],
    SYSLOGPAMSESSION: ["Mar 16 00:01:25 evita su: pam_unix(su:auth): authentication failure"],
    CRONLOG: ["Mar 16 00:01:25 evita CRON[1]: root CMD (x)"],
    SYSLOG5424PRI: ["<>", "<a>", "34"],
    SYSLOG5424BASE: ["<165>1 yesterday host app - - -", "<165> 2003-10-11T22:14:15.003Z host app - - -"],
    SYSLOG5424LINE: ["<165>1 2003-10-11T22:14:15.003Z host app"]
  }
}
