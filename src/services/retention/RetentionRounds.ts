import { Context, Layer } from "effect"

/** When this gateway looks for old history next. */
export class RetentionRounds extends Context.Service<
  RetentionRounds,
  {
    /** Epoch milliseconds; undefined when retention is off. */
    readonly nextAt: () => number | undefined
    readonly expect: (at: number) => void
  }
>()("flow/retention/RetentionRounds") {
  static readonly layer = Layer.sync(RetentionRounds, () => {
    let next: number | undefined
    return RetentionRounds.of({
      nextAt: () => next,
      expect: (at) => {
        next = at
      }
    })
  })
}
