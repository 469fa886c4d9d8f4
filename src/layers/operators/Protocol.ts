import type { SampleBatch } from "../../services/operators/Batches.ts"
import type { TestProgram } from "../../services/operators/OperatorPool.ts"

/** How long a worker may work, in milliseconds. */
export interface Allowance {
  /** For one sample; 0: no sample is tried any more. */
  readonly sampleMillis: number
  /** For one turn: what is left of the batch is asked for again. */
  readonly turnMillis: number
}

/** A turn of one test. `program` comes with the first one that a worker gets. */
export interface Order {
  readonly session: number
  readonly program: TestProgram | undefined
  /** Absent: the program is only to be compiled. */
  readonly batch: SampleBatch | undefined
  /** Index of the first sample to try. */
  readonly from: number
  /** Samples that took a worker down: not to be tried again. */
  readonly condemned: ReadonlyArray<number>
  readonly allowance: Allowance
}

export type ToWorker = { readonly order: Order } | { readonly forget: number }

/** Why a program cannot be used; positions are those of the form's part, or of the tenant's file `source`. */
export interface ProgramFault {
  readonly part: string
  readonly source?: string
  readonly detail: string
  readonly line: number
  readonly column: number
  readonly text: string
}

export interface Turn {
  /** Results as JSON objects, each behind a comma, in UTF-8. */
  readonly json: Uint8Array
  /** How many samples the batch has, and the index of the first one that is still to be tried. */
  readonly samples: number
  readonly next: number
  readonly matched: number
  readonly timeouts: number
  /** Milliseconds of processor that the turn took. */
  readonly millis: number
  readonly hints: ReadonlyArray<string>
}

export type Reply = { readonly fault: ProgramFault } | { readonly turn: Turn }

/** A worker says once that it is ready, and then answers each order. */
export type FromWorker = Reply | { readonly ready: true }

/** A compiled program that takes its turns on a worker. */
export interface Bench {
  readonly turn: (order: Order) => Turn | Promise<Turn>
}
