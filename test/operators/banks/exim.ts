import type { Row, Samples } from "./sample.ts"

const stamp = (day: string, time: string): ReadonlyArray<Row> => [
  ["timestamp", "timestamp", `2014-08-${day} ${time}`],
  ["exim_year", "", "2014"],
  ["exim_month", "", "08"],
  ["exim_day", "", day],
  ["exim_time", "", time]
]
const arrived: ReadonlyArray<Row> = [
  ["exim_msgid", "exim.log.message.id", "1gsu1C-003dCu-Hb"],
  ["exim_flags", "exim.log.flags", "<="]
]
const remote: ReadonlyArray<Row> = [
  ["remote_hostname", "source.address", "mx.example.org"],
  ["remote_heloname", "exim.log.remote_address", "[10.5.40.204]"],
  ["remote_host", "source.ip", "192.0.2.1"],
  ["remote_port", "source.port", 39753]
]
const fields: ReadonlyArray<Row> = [
  ...remote,
  ["exim_interface", "destination.ip", "2001:db8::25"],
  ["exim_interface_port", "destination.port", 25],
  ["protocol", "network.protocol", "esmtpsa"],
  ["exim_msg_size", "exim.log.message.size", 4315],
  ["exim_header_id", "exim.log.header_id", "d2b6@example.com"],
  ["exim_subject", "", '"what\\"s up: S=9 ?"'],
  ["", "exim.log.message.subject", 'what\\"s up: S=9 ?']
]
const fieldsLine =
  " H=mx.example.org ([10.5.40.204]) [192.0.2.1]:39753 I=[2001:db8::25]:25 P=esmtpsa X=TLS1.3:AES:256 CV=no " +
  'DN="/CN=a b" K A=plain:ann S=4315 M8S=0 id=d2b6@example.com T="what\\"s up: S=9 ?"'
const fullLine =
  `2014-08-10 11:18:35 [28107] 1gsu1C-003dCu-Hb <= ann@example.com${fieldsLine} ` +
  "from <ann+x@example.com> for bob@example.net carl@example.net"
const full: ReadonlyArray<Row> = [
  ...stamp("10", "11:18:35"),
  ["pid", "process.pid", 28107],
  ...arrived,
  ["exim_sender_email", "exim.log.sender.email", "ann@example.com"],
  ...fields,
  ["", "exim.log.sender.original", "ann+x@example.com"],
  ["exim_recipient_email", "exim.log.recipient.email", "bob@example.net"]
]

export const samples: Samples = {
  texts: {
    EXIM_MSGID: { yes: ["1gsu1C-003dCu-Hb", "1rsu1C-00000003dCu-Hb12"], no: ["", "1gsu1C-003dCu", "1gsu1C-003dC_-Hb"] },
    EXIM_FLAGS: { yes: ["<=", "(=", "=>", "->", ">>", "*>", "**", "=="], no: ["", "=", "<>", "=<"] },
    EXIM_QT: { yes: ["1s", "0.123s", "2h", "1d2h3m4s", "1y2w"], no: ["", "5", "s", "1x"] },
    EXIM_EXCLUDE_TERMS: {
      yes: [
        "Message is frozen",
        "Start queue run",
        "End queue run",
        " Warning: ",
        "retry time not reached",
        "no IP address found for host",
        "no host name found for IP address",
        "unexpected disconnection while reading SMTP command",
        "no immediate delivery: ",
        "another process is handling this message"
      ],
      no: ["", "queue run", "Warning"]
    },
    EXIM_UNKNOWN_FIELD: {
      yes: ["X=TLS1.2:a:128", "CV=no", 'DN="/CN=a b"', "M8S=0", "K"],
      no: ["", "for", "X=", "a b=c", 'D="x']
    },
    EXIM_QUOTED_CONTENT: { yes: ["", "a b", 'a \\" b'], no: ['"', "\\"] }
  },
  lines: [
    {
      name: "EXIM_DATE",
      line: "2014-08-10 11:18:35.125 +0200",
      rows: stamp("10", "11:18:35.125").slice(1)
    },
    { name: "EXIM_PID", line: "[28107]", rows: [["pid", "process.pid", 28107]] },
    { name: "EXIM_REMOTE_HOST", line: "H=mx.example.org ([10.5.40.204]) [192.0.2.1]:39753", rows: remote },
    {
      name: "EXIM_REMOTE_HOST",
      line: "H=(there) [2001:db8::1]",
      rows: [
        ["remote_heloname", "exim.log.remote_address", "there"],
        ["remote_host", "source.ip", "2001:db8::1"]
      ]
    },
    { name: "EXIM_REMOTE_HOST", line: "H=[192.0.2.1]", rows: [["remote_host", "source.ip", "192.0.2.1"]] },
    {
      name: "EXIM_INTERFACE",
      line: "I=[127.0.0.1]:25",
      rows: [
        ["exim_interface", "destination.ip", "127.0.0.1"],
        ["exim_interface_port", "destination.port", 25]
      ]
    },
    { name: "EXIM_PROTOCOL", line: "P=local-esmtp", rows: [["protocol", "network.protocol", "local-esmtp"]] },
    { name: "EXIM_MSG_SIZE", line: "S=4315", rows: [["exim_msg_size", "exim.log.message.size", 4315]] },
    { name: "EXIM_HEADER_ID", line: "id=a@b x", rows: [["exim_header_id", "exim.log.header_id", "a@b"]] },
    {
      name: "EXIM_SUBJECT",
      line: 'T="a \\"b\\" c" from',
      rows: [
        ["exim_subject", "", '"a \\"b\\" c"'],
        ["", "exim.log.message.subject", 'a \\"b\\" c']
      ]
    },
    {
      name: "EXIM_REMOTE_HOST",
      line: "H=[192.0.2.7] [192.0.2.1]:25",
      rows: [
        ["remote_hostname", "source.address", "[192.0.2.7]"],
        ["remote_host", "source.ip", "192.0.2.1"],
        ["remote_port", "source.port", 25]
      ]
    },
    { name: "EXIM_NAMED_FIELDS", line: fieldsLine, rows: fields },
    { name: "EXIM_MESSAGE_ARRIVAL", line: fullLine, rows: full },
    { name: "EXIM", line: fullLine, rows: full },
    {
      name: "EXIM",
      line: "2014-08-31 08:57:53.125 1gsu1C-003dCu-Hb <= <> R=1gsu1B-003dCt-Ha U=exim P=local S=5678",
      rows: [
        ...stamp("31", "08:57:53.125"),
        ...arrived,
        ["protocol", "network.protocol", "local"],
        ["exim_msg_size", "exim.log.message.size", 5678]
      ]
    }
  ],
  misses: {
    EXIM_DATE: ["10/Aug/2014 11:18:35", "2014-08-10"],
    EXIM_PID: ["[]", "28107"],
    EXIM_REMOTE_HOST: ["H=mx.example.org", "H=[nowhere]"],
    EXIM_INTERFACE: ["I=127.0.0.1:25"],
    EXIM_PROTOCOL: ["P= "],
    EXIM_MSG_SIZE: ["S=big"],
    EXIM_HEADER_ID: ["id="],
    EXIM_SUBJECT: ['T="a', "T=remote_smtp"],
    EXIM_MESSAGE_ARRIVAL: [
      "2014-08-10 11:18:35 1gsu1C-003dCu-Hb => ann@example.com R=x T=y",
      "2014-08-10 11:18:35 Start queue run: pid=1"
    ],
    EXIM: ["2014-08-10 11:18:35 1gsu1C-003dCu-Hb Completed", "2014-08-10 11:18:35 1gsu1C <= a@b.c"]
  }
}
