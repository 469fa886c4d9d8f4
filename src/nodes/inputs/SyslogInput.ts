import { Effect, Schema } from "effect"
import type { Listening } from "../Network.ts"
import { chosen, errors, type NodeContext, node } from "../Node.ts"
import { Gather } from "./Gather.ts"
import { hostSetting, portSetting } from "./Ports.ts"
import { Frames } from "./syslog/Frames.ts"
import { parseMessage } from "./syslog/SyslogMessage.ts"

const protocols = ["tcp", "udp"] as const
const maxConnections = 512

/** What a message may have. */
const fieldNames = [
  ...["priority", "facility", "facility_label", "severity", "severity_label"],
  ...["timestamp", "hostname", "appname", "procid", "msgid", "structured_data", "message"]
]

/** The function that processes one message. */
const receiver = (gather: Gather, maxBytes: number) => {
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true })
  return (bytes: Uint8Array, isCut: boolean): void => {
    const text = decoder.decode(bytes).replace(/\r?\n$/, "")
    const event = isCut ? undefined : parseMessage(text, new Date())
    const reason = isCut ? `the message is longer than ${maxBytes} bytes` : "the text is not a syslog message"
    if (event === undefined) gather.fail({ message: text }, reason, text.length)
    else gather.add(event, text.length)
  }
}

export const syslogInput = node({
  type: "syslog_input",
  kind: "input",
  description:
    "Receives syslog messages, RFC 5424 and RFC 3164, over TCP (with octet counting or line ends, RFC 6587) or UDP. The " +
    "records have `priority`, `facility`, `severity`, their labels, `timestamp`, `hostname`, `appname`, `procid`, " +
    "`msgid`, `structured_data` and `message`, as far as they are present. Invalid messages go to `errors`. " +
    "While the flowline is busy, TCP senders have to wait, and UDP messages are dropped and counted as errors.",
  runtimes: ["stream"],
  settings: Schema.Struct({
    host: hostSetting,
    port: portSetting(5514),
    protocol: Schema.Literals(protocols)
      .annotate({ description: "Transport protocol.", default: "tcp" })
      .pipe(Schema.withDecodingDefaultKey(Effect.succeed("tcp" as const))),
    max_message_bytes: Schema.Int.check(Schema.isBetween({ minimum: 480, maximum: 1_048_576 }))
      .annotate({
        description: "Maximum size of a message in bytes; the beginning of a longer one goes to `errors`.",
        default: 65_536
      })
      .pipe(Schema.withDecodingDefaultKey(Effect.succeed(65_536)))
  }),
  inputs: { min: 0, max: 0 },
  outputs: [chosen, errors],
  isLive: true,
  sample:
    ({ max_message_bytes: maxBytes }, context) =>
    async (text, emit) => {
      const gather = new Gather(context, emit)
      const frames = new Frames(maxBytes, receiver(gather, maxBytes))
      frames.push(text)
      frames.end()
      await gather.send()
    },
  example: { host: "127.0.0.1", port: 5514, protocol: "tcp" },
  fields: () => ({ reads: [], gives: () => new Set(fieldNames) }),
  start: ({ host, port, protocol, max_message_bytes: maxBytes }, context) => ({
    run: async (emit) => {
      const gather = new Gather(context, emit)
      const receive = receiver(gather, maxBytes)
      const server = await (protocol === "tcp"
        ? listenTcp(host, port, maxBytes, gather, receive, context)
        : context.network.udp({ host, port }, (datagram) => {
            if (gather.isCongested) return context.reject(1, "the flowline is too slow: messages were dropped")
            receive(datagram.subarray(0, maxBytes), datagram.length > maxBytes)
            if (gather.isFull) gather.send().catch(() => {})
          }))
      try {
        await gather.until(context.signal)
      } finally {
        await server.close()
      }
    }
  })
})

const listenTcp = (
  host: string,
  port: number,
  maxBytes: number,
  gather: Gather,
  receive: (bytes: Uint8Array, isCut: boolean) => void,
  context: NodeContext
): Promise<Listening> =>
  context.network.tcp({ host, port, maxConnections }, async (bytes) => {
    const frames = new Frames(maxBytes, receive)
    for await (const chunk of bytes) {
      frames.push(chunk)
      // Waiting here stops the reading, which holds the sender back.
      if (gather.isFull) await gather.send()
    }
    frames.end()
  })
