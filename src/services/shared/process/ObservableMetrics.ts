import { Context, Effect, Metric, type Scope } from "effect"

interface Described {
  readonly description: string
  readonly attributes?: Readonly<Record<string, string>>
}

const registered = <Input, State>(metric: Metric.Metric<Input, State>, get: () => State) =>
  Effect.contextWith((context: Context.Context<never>) =>
    Effect.asVoid(
      Effect.acquireRelease(
        Effect.sync(() => Metric.registerUnsafe(metric, context, { get, update: () => {}, modify: () => {} })),
        (registration) => Effect.sync(registration.remove)
      )
    )
  )

/** A gauge that is read whenever the metrics are, until the scope closes. */
export const observeGauge = (
  name: string,
  described: Described,
  read: () => number
): Effect.Effect<void, never, Scope.Scope> => registered(Metric.gauge(name, described), () => ({ value: read() }))

/** A counter that is read whenever the metrics are, until the scope closes. What `read` returns must never decrease. */
export const observeCounter = (
  name: string,
  described: Described,
  read: () => number
): Effect.Effect<void, never, Scope.Scope> =>
  registered(Metric.counter(name, { ...described, incremental: true }), () => ({ count: read(), incremental: true }))

/** Places for work, how many are taken, and how much work waits for one. */
interface Queue {
  readonly places: number
  readonly taken: number
  readonly waiting: number
}

/** The gauges of a queue of this gateway, until the scope closes. */
export const observeQueue = (queue: string, state: Queue): Effect.Effect<void, never, Scope.Scope> => {
  const attributes = { queue }
  return Effect.all(
    [
      observeGauge(
        "flow_queue_waiting",
        { description: "Work that waits for a place, by queue of this gateway", attributes },
        () => state.waiting
      ),
      observeGauge(
        "flow_queue_places_used",
        { description: "Places in which work is done", attributes },
        () => state.taken
      ),
      observeGauge("flow_queue_places", { description: "Places that there are", attributes }, () => state.places)
    ],
    { discard: true }
  )
}

export interface Measurement {
  /** Looks, and updates the metrics. */
  readonly measure: Effect.Effect<void, unknown>
  /** Removes the metrics, which would keep showing old values. */
  readonly forget: Effect.Effect<void>
}

/**
 * What is measured when metrics are read, because no event tells that it changed. A measurement that fails, or takes
 * longer than some seconds, is left out until it succeeds again.
 */
export class Measurements extends Context.Service<Measurements, ReadonlyArray<Measurement>>()(
  "flow/shared/Measurements"
) {}

/** Takes all measurements. */
export const takeMeasurements = (all: Measurements["Service"]): Effect.Effect<void> =>
  Effect.forEach(
    all,
    ({ measure, forget }) =>
      measure.pipe(
        Effect.timeout("2 seconds"),
        Effect.catchCause(() => forget)
      ),
    { concurrency: "unbounded", discard: true }
  )
