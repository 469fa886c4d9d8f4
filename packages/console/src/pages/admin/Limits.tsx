import { useAnswer } from "../../app/answer.ts"
import { gateway } from "../../app/gateway.ts"
import { Badge } from "../../parts/Frame.tsx"
import { Problem } from "../../parts/Problem.tsx"
import pages from "../../parts/pages.module.css"
import { admin, common } from "../../texts/en.ts"
import css from "./admin.module.css"
import { PlainTable } from "./PlainTable.tsx"

const t = admin.limits

const columns = [
  { title: t.limit },
  { title: t.share },
  { title: t.used, isNumber: true },
  { title: t.of, isNumber: true },
  { title: t.scope },
  { title: t.source }
]

/** From this share on, a limit counts as nearly reached. */
const near = 0.8

interface Limit {
  readonly limit: string
  readonly description: string
  readonly unit: string
  readonly scope: "tenant" | "gateway" | "execution"
  readonly value: number | null
  readonly used: number | null
  readonly source: "default" | "setting" | "file"
  readonly setting?: string
}

const amount = (count: number, unit: string): string => (unit === "bytes" ? common.bytes(count) : common.count(count))

const shareOf = ({ value, used }: Limit): number | undefined =>
  value === null || used === null ? undefined : value === 0 ? 1 : used / value

const toneOf = (share: number): "good" | "warn" | "bad" => (share >= 1 ? "bad" : share >= near ? "warn" : "good")

const Use = ({ limit }: { readonly limit: Limit }) => {
  const share = shareOf(limit)
  if (share === undefined) return null
  return (
    <span className={css.use}>
      <progress
        className={`${css.bar} ${css[toneOf(share)]}`}
        max={1}
        value={Math.min(1, share)}
        aria-label={t.shareOf(limit.limit, share)}
      />
      <span className={css.share}>{t.percent(share)}</span>
    </span>
  )
}

/** Limits and usage of the tenant, those nearest to their limit first. */
export const Limits = ({ tenant }: { readonly tenant: string }) => {
  const { value, error, again } = useAnswer(
    (signal) => gateway.limits.limits({ params: { tenant } }, { signal }),
    [tenant],
    5000
  )
  const limits = [...(value?.limits ?? [])].sort((one, other) => (shareOf(other) ?? -1) - (shareOf(one) ?? -1))
  const reached = limits.filter((limit) => (shareOf(limit) ?? 0) >= 1).length
  const nearly = limits.filter((limit) => (shareOf(limit) ?? 0) >= near).length - reached
  return (
    <>
      <Problem error={error} again={again} />
      {value?.suspended ? (
        <p className={pages.notice} role="alert">
          {t.suspended}
        </p>
      ) : null}
      {value === undefined ? (
        <p className={css.waiting}>{error === undefined ? common.loading : null}</p>
      ) : (
        <>
          <p className={css.facts} role="status">
            {reached > 0 ? <Badge tone="bad">{t.reached(reached)}</Badge> : null}
            {nearly > 0 ? <Badge tone="warn">{t.near(nearly)}</Badge> : null}
            {reached + nearly === 0 ? <Badge tone="good">{t.fine}</Badge> : null}
          </p>
          <PlainTable label={admin.views.limits} columns={columns}>
            {limits.map((limit) => (
              <tr key={limit.limit}>
                <th scope="row">
                  <code>{limit.limit}</code>
                  <small>{limit.description.replaceAll("`", "")}</small>
                </th>
                <td>
                  <Use limit={limit} />
                </td>
                <td className={css.number}>
                  {limit.used === null ? (
                    <span className={css.dim}>{t.uncounted}</span>
                  ) : (
                    amount(limit.used, limit.unit)
                  )}
                </td>
                <td className={css.number}>
                  {limit.value === null ? (
                    <span className={css.dim}>{t.unlimited}</span>
                  ) : (
                    amount(limit.value, limit.unit)
                  )}
                </td>
                <td>{t.scopes[limit.scope]}</td>
                <td>
                  {t.sources[limit.source]} {limit.setting === undefined ? null : <code>{limit.setting}</code>}
                </td>
              </tr>
            ))}
          </PlainTable>
        </>
      )}
    </>
  )
}
