import { processorMillis } from "../../languages/Guard.ts"
import { propose } from "../../languages/propose/Propose.ts"
import { samplesOf } from "../../services/operators/Batches.ts"
import { proposalLimits } from "../../services/operators/Proposals.ts"
import type { Order, SampleTester, Turn } from "./WorkerMessages.ts"

/** Proposes patterns for all samples of a batch, in one turn. */
export const proposalMaker: SampleTester = {
  turn: ({ batch, condemned }: Order): Turn => {
    const began = processorMillis()
    const all = batch === undefined ? [] : samplesOf(batch, "lines")
    const { samples, length } = proposalLimits
    const lines = all.slice(0, samples).map(({ text }) => text.slice(0, length))
    const hints: Array<string> = []
    if (all.length > samples) hints.push(`the first ${samples} of ${all.length} samples were looked at`)
    if (all.some(({ text }) => text.length > length)) hints.push(`samples were cut after ${length} characters`)
    // The worker was killed while it worked on them.
    if (condemned.length > 0) hints.push("these samples take more time than a test has; send fewer or shorter ones")
    const proposals = condemned.length > 0 ? [] : propose(lines)
    const json = new TextEncoder().encode(proposals.map((one) => `,${JSON.stringify(one)}`).join(""))
    const millis = processorMillis() - began
    return { json, samples: lines.length, next: lines.length, matched: 0, timeouts: 0, millis, hints }
  }
}
