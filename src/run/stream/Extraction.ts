import { Schema } from "effect"
import { catalogue } from "../../nodes/Catalogue.ts"
import { queryAt, searchInput } from "../../nodes/inputs/SearchInput.ts"
import { type NodeContext, node, type RunContext } from "../../nodes/Node.ts"
import { csvLinesOf, extractionOutput } from "../../nodes/outputs/ExtractionOutput.ts"
import { componentOf, type Flowline } from "../../protocol/Flowline.ts"
import { type Pipeline, pipeline } from "./Pipeline.ts"

/** A search and the csv that all it finds becomes, when the flowline is these two nodes and nothing else. */
const pairOf = ({ dag }: Flowline) => {
  const [input, output, ...others] = dag
  if (input?.type !== searchInput.type || output?.type !== extractionOutput.type || others.length > 0) return undefined
  if (input.publish.length !== 1 || output.subscribe.length !== 1) return undefined
  const settings = Schema.decodeUnknownSync(searchInput.settings)(input.settings)
  const lines = csvLinesOf(Schema.decodeUnknownSync(extractionOutput.settings)(output.settings))
  const isText = settings.values === "text" && lines?.fields.every((field) => settings.fields?.includes(field))
  if (lines === undefined || isText !== true) return undefined
  return { input: componentOf(input), output: componentOf(output), settings, lines }
}

/**
 * A flowline with an `extraction_output`. Where it gets what a search finds and nothing is in between, the search makes
 * the csv as it reads: the bytes are the same, for half of the time. Every other flowline runs as ever.
 */
export const extraction = (flowline: Flowline, makeContext: (component: string) => RunContext): Pipeline => {
  const pair = pairOf(flowline)
  if (pair === undefined) return pipeline(flowline, makeContext)
  const { input, output, settings, lines } = pair
  let sent = 0
  const start = async (_: unknown, { documents, expect, signal }: NodeContext) => {
    if (documents === undefined) throw new Error("There is no search here")
    // What the output loads has time to load while the database is reached.
    const loaded = [documents.indices(settings.index), import("../archive/Zip.ts")]
    const [query] = await Promise.all([queryAt(settings.query), ...loaded])
    const options = { ...lines, counted: settings.count ? expect : undefined }
    const run = async () => {
      for await (const encoded of documents.encoded(settings.index, query, options)) {
        for (const { bytes, documents } of encoded) {
          signal.throwIfAborted()
          await whole.write(output, bytes, documents)
          sent += documents
        }
      }
    }
    return { run }
  }
  const reading = node({ ...searchInput, start })
  const shared = makeContext(input).documents
  const whole = pipeline(
    flowline,
    (component) => ({ ...makeContext(component), ...(shared === undefined ? {} : { documents: shared }) }),
    (type, given) => (componentOf(given) === input ? reading : catalogue.get(type))
  )
  const counters = () => whole.counters().map((own) => (own.component === input ? { ...own, recordsOut: sent } : own))
  return { ...whole, counters }
}
