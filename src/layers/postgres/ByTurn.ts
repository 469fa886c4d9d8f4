import { Cause, type Context, Effect, Exit } from "effect"

interface Asker<K, A, E> {
  readonly key: K
  readonly context: Context.Context<never>
  readonly resume: (answer: Effect.Effect<A | undefined, E>) => void
}

/** Askers of one statement. */
const atOnce = 256

/**
 * Collects the keys that are asked for within one turn of the event loop and reads them together: one statement for all
 * the requests that arrived meanwhile, which for single rows costs a fraction of one each. A lone key is not delayed by
 * more than the rest of its turn. `read` answers in the order of its keys; its failure is the failure of each.
 *
 * The statement takes its services (so its parent span, too) from the first asker, and goes on when askers leave.
 */
export const byTurn = <K, A, E>(
  read: (keys: ReadonlyArray<K>) => Effect.Effect<ReadonlyArray<A | undefined>, E>
): ((key: K) => Effect.Effect<A | undefined, E>) => {
  let asking: Array<Asker<K, A, E>> = []

  const answer = (askers: ReadonlyArray<Asker<K, A, E>>): void => {
    const fiber = Effect.runForkWith(askers[0]!.context)(read(askers.map((asker) => asker.key)))
    fiber.addObserver((exit) => {
      // A key that PostgreSQL will not take must not spoil the others' answers.
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
