import type { SampleBatch } from "../../services/operators/Batches.ts"
import type { TestProgram } from "../../services/operators/OperatorPool.ts"

/** The time limits of a worker, in milliseconds. */
interface Allowance {
  /** Limit for one sample; 0 means that no further samples are tried. */
  readonly sampleMillis: number
  /** Limit for one turn; the rest of the batch takes another turn. */
  readonly turnMillis: number
}

/** One turn of a test. `program` is only sent with a worker's first turn of the test. */
export interface Order {
  readonly session: number
  readonly program: TestProgram | undefined
  /** Absent when the program is only to be compiled. */
  readonly batch: SampleBatch | undefined
  /** Index of the first sample to try. */
  readonly from: number
  /** Samples that took a worker down and are not tried again. */
  readonly condemned: ReadonlyArray<number>
  readonly allowance: Allowance
}

export type ToWorker = { readonly order: Order } | { readonly forget: number }

/** Why a program cannot be used. Positions are those of the form part, or of the tenant's file `source`. */
export interface ProgramFault extends Fault {
  /** All faults, when there are several. */
  readonly issues?: ReadonlyArray<Fault>
}

interface Fault {
  readonly part: string
  readonly source?: string
  readonly detail: string
  readonly line: number
  readonly column: number
  readonly text: string
}

export interface Turn {
  /** Results in UTF-8: JSON objects, each preceded by a comma. */
  readonly json: Uint8Array
  /** The number of samples in the batch, and the index of the next one to try. */
  readonly samples: number
  readonly next: number
  readonly matched: number
  readonly timeouts: number
  /** Processor time of the turn in milliseconds. */
  readonly millis: number
  readonly hints: ReadonlyArray<string>
}

export type WorkerReply = { readonly fault: ProgramFault } | { readonly turn: Turn }

/** A worker sends `ready` once and then one reply per order. */
export type FromWorker = WorkerReply | { readonly ready: true }

/** A compiled program on a worker, which runs the turns of its test. */
export interface SampleTester {
  readonly turn: (order: Order) => Turn | Promise<Turn>
}
