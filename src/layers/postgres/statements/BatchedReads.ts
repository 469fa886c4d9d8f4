import { Cause, type Context, Effect, Exit } from "effect"

interface Asker<K, A, E> {
  readonly key: K
  readonly context: Context.Context<never>
  readonly resume: (answer: Effect.Effect<A | undefined, E>) => void
}

/** Maximum number of keys in one statement. */
const atOnce = 256

/**
 * Batches reads: collects the keys requested within one turn of the event loop and reads them with one statement. For
 * single rows this costs a fraction of one statement per request. A single key is delayed by at most the rest of its
 * turn. `read` returns its results in the order of the keys; its failure is the failure of every key.
 *
 * The statement takes its services, and so its parent span, from the first request. It continues when requests are
 * interrupted.
 */
export const batchedReads = <K, A, E>(
  read: (keys: ReadonlyArray<K>) => Effect.Effect<ReadonlyArray<A | undefined>, E>
): ((key: K) => Effect.Effect<A | undefined, E>) => {
  let asking: Array<Asker<K, A, E>> = []

  const answer = (askers: ReadonlyArray<Asker<K, A, E>>): void => {
    const fiber = Effect.runForkWith(askers[0]!.context)(read(askers.map((asker) => asker.key)))
    fiber.addObserver((exit) => {
      // A key that PostgreSQL rejects must not fail the reads of the others.
      if (Exit.isFailure(exit) && askers.length > 1 && Cause.hasDies(exit.cause)) {
        for (const asker of askers) answer([asker])
        return
      }
      for (const [index, { resume }] of askers.entries()) resume(Exit.map(exit, (rows) => rows[index]))
    })
  }

  const endTurn = () => {
    const askers = asking
    asking = []
    for (let from = 0; from < askers.length; from += atOnce) answer(askers.slice(from, from + atOnce))
  }

  return (key) =>
    Effect.contextWith((context: Context.Context<never>) =>
      Effect.callback<A | undefined, E>((resume) => {
        if (asking.push({ key, context, resume }) === 1) setImmediate(endTurn)
      })
    )
}
