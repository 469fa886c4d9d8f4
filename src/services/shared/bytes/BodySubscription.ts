/** The controls of a body that is being received. */
export interface Inflow {
  readonly hold: () => void
  readonly resume: () => void
  /** Ends the reception. What has not come yet is left to the server. */
  readonly leave: () => void
}

/** The receiver of a body. */
export interface Intake {
  readonly chunk: (chunk: Uint8Array) => void
  readonly end: () => void
  /** The body has broken off. */
  readonly fail: () => void
}

const openers = new WeakMap<object, (intake: Intake) => Inflow>()

/** Lets the body of a request be received without a stream: it is held until the first `resume`. */
export const offerInflow = (source: object, open: (intake: Intake) => Inflow): void => {
  openers.set(source, open)
}

/**
 * Opens the body behind a request, in place of running its stream, which takes more processor time for a chunk than what
 * is done with it; undefined for a body that has only its stream.
 */
export const inflowOf = (source: object): ((intake: Intake) => Inflow) | undefined => openers.get(source)
