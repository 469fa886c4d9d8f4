import { Schema } from "effect"
import { catalogue } from "../../nodes/Catalogue.ts"
import { type NodeContext, type NodeType, node, type RunContext } from "../../nodes/Node.ts"
import { componentOf, type DagNode, type Flowline } from "../../protocol/Flowline.ts"
import { type Pipeline, pipeline } from "./Pipeline.ts"

const settingsOf = (type: NodeType, { settings }: DagNode): unknown => Schema.decodeUnknownSync(type.settings)(settings)

/**
 * The nodes of a flowline that consists of an input and an output only, where the input can encode rows for the output.
 */
const pairOf = ({ dag }: Flowline) => {
  const [input, output, ...others] = dag
  if (input === undefined || output === undefined || others.length > 0) return undefined
  if (input.publish.length !== 1 || output.subscribe.length !== 1) return undefined
  const [reader, writer] = [catalogue.get(input.type), catalogue.get(output.type)]
  if (reader?.startEncoded === undefined || writer?.rowEncoding === undefined) return undefined
  const settings = settingsOf(reader, input)
  const encoding = writer.rowEncoding(settingsOf(writer, output))
  const start = encoding === undefined ? undefined : reader.startEncoded(settings, encoding)
  return start === undefined ? undefined : { input: componentOf(input), output: componentOf(output), reader, start }
}

/**
 * A flowline whose output encodes rows. If the input can encode them and is directly connected, it produces the
 * output's bytes as it reads, which are equal and take half of the time. Every other flowline runs as usual.
 */
export const extraction = (flowline: Flowline, makeContext: (component: string) => RunContext): Pipeline => {
  const pair = pairOf(flowline)
  if (pair === undefined) return pipeline(flowline, makeContext)
  const { input, output, reader, start } = pair
  let sent = 0
  const write = async (bytes: Uint8Array, rows: number): Promise<void> => {
    await whole.write(output, bytes, rows)
    sent += rows
    // Frees the memory at once: left to the garbage collector, it makes V8 look through the whole heap again and again.
    if (bytes.buffer instanceof ArrayBuffer) bytes.buffer.transfer(0)
  }
  const reading = node({
    ...reader,
    start: async (_: unknown, context: NodeContext) => {
      // The output's module is loaded while the database connection is established.
      const [instance] = await Promise.all([start(context, write), import("../archive/Zip.ts")])
      return instance
    }
  })
  const shared = makeContext(input).documents
  const whole = pipeline(
    flowline,
    (component) => ({ ...makeContext(component), ...(shared === undefined ? {} : { documents: shared }) }),
    (type, given) => (componentOf(given) === input ? reading : catalogue.get(type))
  )
  const counters = () => whole.counters().map((own) => (own.component === input ? { ...own, recordsOut: sent } : own))
  return { ...whole, counters }
}
