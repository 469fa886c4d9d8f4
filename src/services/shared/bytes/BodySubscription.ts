/** Controls the reception of a body, which begins paused. */
export interface BodySubscription {
  readonly pause: () => void
  readonly resume: () => void
  /** Ends the reception. What has not come yet is left to the server. */
  readonly cancel: () => void
}

/** The receiver of a body. */
export interface BodyObserver {
  readonly chunk: (chunk: Uint8Array) => void
  readonly end: () => void
  /** The body has broken off. */
  readonly fail: () => void
}

const bodies = new WeakMap<object, (observer: BodyObserver) => BodySubscription>()

/** Lets the body of a request be received without a stream: it is paused until the first `resume`. */
export const offerSubscription = (source: object, subscribe: (observer: BodyObserver) => BodySubscription): void => {
  bodies.set(source, subscribe)
}

/**
 * Subscribes to the body of a request. Its stream takes more processor time for a chunk than what is done with the chunk.
 * Undefined for a body that has only its stream.
 */
export const subscriptionOf = (source: object): ((observer: BodyObserver) => BodySubscription) | undefined =>
  bodies.get(source)
