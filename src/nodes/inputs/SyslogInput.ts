import { Schema } from "effect"
import { decode, replacedIn } from "../../languages/Encoding.ts"
import { multilineFaults, multilineSettings } from "../formats/Multiline.ts"
import { chosen, errors, type NodeContext, node } from "../Node.ts"
import type { Listener } from "../ports/Network.ts"
import { withDefault } from "../settings/SettingsSchema.ts"
import { hostSetting, portFaults, portSetting } from "./Ports.ts"
import { RecordBatcher } from "./RecordBatcher.ts"
import { Frames } from "./syslog/Frames.ts"
import { SyslogEvents } from "./syslog/SyslogEvents.ts"
import { parseMessage } from "./syslog/SyslogMessage.ts"

const protocols = ["tcp", "udp"] as const
const maxConnections = 512

/** What a message may have. */
const fieldNames = [
  ...["priority", "facility", "facility_label", "severity", "severity_label"],
  ...["timestamp", "hostname", "appname", "procid", "msgid", "structured_data", "message"]
]

/** Encodings of one byte for each unit of a line end, in which messages are framed. */
const messageEncodings = ["utf-8", "latin1", "windows-1252"] as const

/** What becomes of the messages of a sender: `read` takes those of a chunk together. */
interface Receiver {
  readonly take: (sender: string, bytes: Uint8Array, isCut: boolean) => void
  readonly read: () => void
  readonly end: (sender: string) => void
}

const receiver = (
  { encoding, multiline, max_message_bytes }: Settings,
  gather: RecordBatcher,
  context: NodeContext
): Receiver => {
  const events = multiline === undefined ? undefined : new SyslogEvents(multiline, context, gather)
  const take = (sender: string, bytes: Uint8Array, isCut: boolean): void => {
    const decoded = decode(bytes, encoding)
    const replaced = replacedIn(bytes, decoded, encoding)
    if (replaced > 0) context.replaced?.(replaced)
    const text = decoded.replace(/\r?\n$/, "")
    const event = isCut ? undefined : parseMessage(text, new Date())
    if (isCut) gather.fail({ message: text }, `the message is longer than ${max_message_bytes} bytes`, text.length)
    else if (events !== undefined) events.add({ sender, text, event })
    else if (event === undefined) gather.fail({ message: text }, "the text is not a syslog message", text.length)
    else gather.add(event, text.length)
  }
  return { take, read: () => events?.read(), end: (sender) => events?.end(sender) }
}

const settings = Schema.Struct({
  host: hostSetting,
  port: portSetting(5514),
  protocol: Schema.Literals(protocols).pipe(withDefault("tcp", "Transport protocol.")),
  max_message_bytes: Schema.Int.check(Schema.isBetween({ minimum: 480, maximum: 1_048_576 })).pipe(
    withDefault(65_536, "Maximum size of a message in bytes; the beginning of a longer one goes to `errors`.")
  ),
  encoding: Schema.Literals(messageEncodings).pipe(
    withDefault("utf-8", "Encoding of the messages. Bytes that it does not have become U+FFFD and are counted.")
  ),
  multiline: Schema.optionalKey(
    multilineSettings.annotate({
      description:
        "Joins messages of one program (sender, `hostname`, `appname` and `procid`) to one record. The regular expression " +
        "is for `message`. A text without a header continues the latest message of its sender."
    })
  )
})
type Settings = typeof settings.Type

export const syslogInput = node({
  type: "syslog_input",
  kind: "input",
  description:
    "Receives syslog messages, RFC 5424 and RFC 3164, over TCP (with octet counting or line ends, RFC 6587) or UDP. The " +
    "records have `priority`, `facility`, `severity`, their labels, `timestamp`, `hostname`, `appname`, `procid`, " +
    "`msgid`, `structured_data` and `message`, as far as they are present. Invalid messages go to `errors`. " +
    "While the flowline is busy, TCP senders have to wait, and UDP messages are dropped and counted as errors.",
  runtimes: ["stream"],
  settings,
  inputs: { min: 0, max: 0 },
  outputs: [chosen, errors],
  isLive: true,
  sample: (settings, context) => async (text, emit, encoded) => {
    const gather = new RecordBatcher(context, emit)
    const { take, end } = receiver({ ...settings, encoding: encoded ?? settings.encoding }, gather, context)
    const frames = new Frames(settings.max_message_bytes, (message, isCut) => take("sample", message, isCut))
    frames.push(text)
    frames.end()
    end("sample")
    await gather.send()
  },
  example: { host: "127.0.0.1", port: 5514, protocol: "tcp" },
  fields: ({ multiline }) => ({
    reads: [],
    gives: () => new Set(multiline === undefined ? fieldNames : [...fieldNames, "tags"])
  }),
  check: ({ multiline, port }, context) => [...portFaults(port, context), ...multilineFaults(multiline)],
  start: (settings, context) => ({
    run: async (emit) => {
      const gather = new RecordBatcher(context, emit)
      const receive = receiver(settings, gather, context)
      const listen = settings.protocol === "tcp" ? listenTcp : listenUdp
      const server = await listen(settings, gather, receive, context)
      try {
        await gather.until(context.signal)
      } finally {
        await server.close()
      }
    }
  })
})

type Listen = (settings: Settings, gather: RecordBatcher, receive: Receiver, context: NodeContext) => Promise<Listener>

const listenUdp: Listen = ({ host, port, max_message_bytes: maxBytes }, gather, { take, read }, context) => {
  let waits = false
  const readAll = () => {
    waits = false
    read()
    if (gather.isFull) gather.send().catch(() => {})
  }
  return context.network.udp({ host, port }, (datagram, sender) => {
    if (gather.isCongested) return context.reject(1, "the flowline is too slow: messages were dropped")
    take(sender, datagram.subarray(0, maxBytes), datagram.length > maxBytes)
    // The datagrams that have arrived already are read together.
    if (!waits) setImmediate(readAll)
    waits = true
  })
}

const listenTcp: Listen = ({ host, port, max_message_bytes: maxBytes }, gather, { take, read, end }, context) => {
  let count = 0
  return context.network.tcp({ host, port, maxConnections }, async (bytes) => {
    const sender = String(++count)
    const frames = new Frames(maxBytes, (message, isCut) => take(sender, message, isCut))
    try {
      for await (const chunk of bytes) {
        frames.push(chunk)
        read()
        // Waiting here stops the reading, which holds the sender back.
        if (gather.isFull) await gather.send()
      }
      frames.end()
    } finally {
      end(sender)
    }
  })
}
