import { common } from "../texts/en.ts"

/** A time in the reader's zone; the tooltip shows it in full. */
export const Time = ({ at }: { readonly at: number | string | Date | null | undefined }) => {
  if (at === undefined || at === null || at === "") return null
  const moment = new Date(at)
  const ms = moment.getTime()
  if (Number.isNaN(ms)) return <span>{String(at)}</span>
  return (
    <time dateTime={moment.toISOString()} title={common.exact(ms)}>
      {common.moment(ms)}
    </time>
  )
}
