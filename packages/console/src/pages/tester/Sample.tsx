import { visible } from "../../parts/values.ts"
import { segments } from "./Fields.ts"
import type { SampleResult } from "./Testing.ts"
import css from "./tester.module.css"

/** A sample with the colours of its fields. If it does not match, the matching part and the rest. */
export const Sample = ({
  result: { input, captures = [], failure },
  colours,
  most
}: {
  readonly result: SampleResult
  readonly colours: ReadonlyMap<string, number>
  /** UTF-16 units that are shown. */
  readonly most: number
}) => {
  const text = input.slice(0, most)
  if (failure?.reason === "no-match" && failure.matchedUpTo !== undefined) {
    return (
      <code className={css.sampleText}>
        <span className={css.reached}>{visible(text.slice(0, failure.matchedUpTo))}</span>
        <span className={css.rest}>{visible(text.slice(failure.matchedUpTo))}</span>
      </code>
    )
  }
  return (
    <code className={css.sampleText}>
      {segments(text, captures).map(({ text: part, name }, at) =>
        name === undefined ? (
          visible(part)
        ) : (
          // biome-ignore lint/suspicious/noArrayIndexKey: parts are known by their places alone.
          <span key={at} className={css[`field${colours.get(name) ?? 0}`]} title={name}>
            {visible(part)}
          </span>
        )
      )}
    </code>
  )
}
