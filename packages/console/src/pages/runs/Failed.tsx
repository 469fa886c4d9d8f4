import { form } from "@flow-gateway/client/light"
import { type ReactNode, useMemo, useState } from "react"
import { answering, gateway } from "../../app/gateway.ts"
import { Link } from "../../app/Link.tsx"
import { addressOf } from "../../app/location.ts"
import { useMay } from "../../app/session.ts"
import { Button } from "../../parts/Button.tsx"
import { graphOfFlowline } from "../../parts/dag/Graph.ts"
import { Badge, Empty } from "../../parts/Frame.tsx"
import { Problem } from "../../parts/Problem.tsx"
import look from "../../parts/parts.module.css"
import { visible } from "../../parts/values.ts"
import { common, runs as t } from "../../texts/en.ts"
import { type Kept, keptBy, type Rejected, rejectedOf } from "./failures.ts"
import { type Detail, hasEnded } from "./models.ts"
import { RejectedTable } from "./RejectedTable.tsx"
import css from "./runs.module.css"

/** Number of records that are read from each input, and of rejected ones that are shown. */
const mostRead = 10_000
const mostShown = 1000
/** Number of documents shown from an index of failures. */
const mostFound = 500

/** A link to the place of a node's rejected records. */
const KeptIn = ({ run, kept }: { readonly run: Detail; readonly kept: Kept }) => {
  const path = ["runs", run.flowlineId, run.id]
  switch (kept.kind) {
    case "archive":
      return run.archive === null ? (
        <span>{t.failed.inArchiveLater(visible(kept.entry))}</span>
      ) : (
        <Link to={addressOf(path, { view: "archive", entry: kept.entry })}>
          {t.failed.inArchive(visible(kept.entry))}
        </Link>
      )
    case "file":
      return (
        <Link to={addressOf(["runs"], { view: "files", root: kept.root, file: kept.path })}>
          {t.failed.inFile(visible(kept.path))}
        </Link>
      )
    case "index":
      return <Link to={addressOf(["search"], { index: kept.index })}>{t.failed.inIndex(visible(kept.index))}</Link>
    case "other":
      return <span>{t.failed.inOther(visible(kept.component), visible(kept.type))}</span>
  }
}

interface Looked {
  readonly title: string
  readonly note: string
  readonly rows: ReadonlyArray<Rejected>
}

/** The records that nodes have rejected: their number, the reasons, where they are stored, and examples. */
const Failed = ({
  tenant,
  run,
  definition
}: {
  readonly tenant: string
  readonly run: Detail
  readonly definition: unknown
}) => {
  const mayTry = useMay("developer")
  const graph = useMemo(() => graphOfFlowline(definition), [definition])
  const [looked, setLooked] = useState<Looked>()
  const [error, setError] = useState<unknown>()
  const [isBusy, setBusy] = useState(false)
  const failing = run.nodes.filter(({ errors }) => errors > 0)

  const show = (ask: () => Promise<Looked>) => {
    setBusy(true)
    setError(undefined)
    answering(ask)
      .then(setLooked, setError)
      .finally(() => setBusy(false))
  }
  const tryAgain = (component: string) =>
    show(async () => {
      const payload = form({
        id: run.flowlineId,
        version: String(run.version),
        parameters: JSON.stringify(run.parameters),
        first: String(mostRead),
        limit: String(mostShown)
      })
      const { nodes } = await gateway.flowlines.tryOut({ params: { tenant }, payload })
      const node = nodes.find((one) => one.component === component)
      const { records = [], count = 0 } = node?.rejected ?? {}
      return {
        title: t.failed.rejectedBy(visible(component)),
        note: t.failed.tried(count, records.length, mostRead),
        rows: records.map((record, at) => rejectedOf(record, String(at)))
      }
    })
  const search = (component: string, index: string) =>
    show(async () => {
      const { documents } = await gateway.search.search({
        params: { tenant },
        payload: { index, query: { term: { "error.node": component } }, limit: mostFound }
      })
      return {
        title: t.failed.rejectedBy(visible(component)),
        note: t.failed.found(documents.length, visible(index)),
        rows: documents.map(({ id, source }) => rejectedOf(source, id))
      }
    })

  if (failing.length === 0) {
    return (
      <Empty title={t.failed.none}>
        <p>{hasEnded(run.state) ? t.failed.noneHelp : t.failed.noneYet}</p>
      </Empty>
    )
  }
  return (
    <>
      <ul className={css.failing}>
        {failing.map((node) => {
          const kept = keptBy(graph, definition, node.component)
          const index = kept.find((one) => one.kind === "index")
          const places: ReactNode =
            kept.length === 0 ? (
              <p className={css.note}>{t.failed.dropped}</p>
            ) : (
              <ul>
                {kept.map((one) => (
                  <li key={one.component}>
                    <KeptIn run={run} kept={one} />
                  </li>
                ))}
              </ul>
            )
          return (
            <li key={node.component} className={css.card}>
              <h2>
                {visible(node.component)} <Badge tone="bad">{t.failed.share(node.errors, node.recordsIn)}</Badge>
              </h2>
              {node.lastError === undefined ? null : (
                <p>
                  {t.failed.reason} <code>{visible(node.lastError)}</code>
                </p>
              )}
              {places}
              <div className={css.bar}>
                {index === undefined ? null : (
                  <Button
                    className={look.button!}
                    isDisabled={isBusy}
                    onPress={() => search(node.component, index.index)}
                  >
                    {t.failed.search}
                  </Button>
                )}
                <Button
                  className={look.button!}
                  isDisabled={isBusy || !mayTry || definition === undefined}
                  onPress={() => tryAgain(node.component)}
                >
                  {t.failed.try}
                </Button>
              </div>
            </li>
          )
        })}
      </ul>
      <Problem error={error} />
      <p role="status" className={css.note}>
        {isBusy ? common.loading : (looked?.note ?? t.failed.tryHelp)}
      </p>
      {looked === undefined ? null : <RejectedTable label={looked.title} rows={looked.rows} />}
    </>
  )
}

export default Failed
