import { useCallback, useEffect, useMemo, useState } from "react"
import { useAnswer } from "../../app/answer.ts"
import { gateway } from "../../app/gateway.ts"
import { useMay } from "../../app/session.ts"
import { Button } from "../../parts/Button.tsx"
import { LaterDialog } from "../../parts/Later.tsx"
import { LazyPlot } from "../../parts/LazyPlot.tsx"
import type { PlotSeries } from "../../parts/Plot.tsx"
import { issuesOf, messageOf, Problem } from "../../parts/Problem.tsx"
import shared from "../../parts/pages.module.css"
import look from "../../parts/parts.module.css"
import { common, search as t } from "../../texts/en.ts"
import { DocumentPanel } from "./DocumentPanel.tsx"
import { Documents } from "./Documents.tsx"
import { ExtractionList } from "./ExtractionList.tsx"
import { keepStarted, startedOf } from "./Extractions.ts"
import { FieldList } from "./FieldList.tsx"
import { remember } from "./History.ts"
import { placeOf, QueryBar } from "./QueryBar.tsx"
import { RangePicker } from "./RangePicker.tsx"
import { type Index, patternOf, QueryFault } from "./Request.ts"
import { type Filter, useSearch, useZone } from "./State.ts"
import css from "./search.module.css"
import { barsOf, spanOf } from "./Times.ts"
import { useResults } from "./useResults.ts"
import { textOf } from "./Values.tsx"

const dialogs = { history: () => import("./HistoryDialog.tsx"), extract: () => import("./ExtractDialog.tsx") }

const series: ReadonlyArray<PlotSeries> = [
  { label: t.documentsTitle, colour: "--accent", kind: "bars", say: common.count }
]

/** The fault in the query text: the gateway's words, with the column. */
const queryProblem = (error: unknown) => {
  if (error instanceof QueryFault) return { text: t.atColumn(error.at + 1, error.message), at: error.at }
  for (const { pointer = "", detail = "" } of issuesOf(error)) {
    if (!pointer.startsWith("/query")) continue
    const at = placeOf(detail)
    const text = detail.replace(/ \(character \d+ of the text\)/, "")
    return { text: at === undefined ? `${pointer} ${text}` : t.atColumn(at + 1, text), at }
  }
  return undefined
}

/** Searches the tenant's documents. */
export const Explorer = ({
  tenant,
  indices,
  refresh
}: {
  readonly tenant: string
  readonly indices: ReadonlyArray<Index>
  /** Loads the indices again. */
  readonly refresh: () => void
}) => {
  const [state, change] = useSearch()
  const zone = useZone()
  const [shown, setShown] = useState<keyof typeof dialogs>()
  const [extractions, setExtractions] = useState(() => startedOf(tenant))
  const mayExtract = useMay("operator")
  const pattern = patternOf(tenant, state)
  const fields = useAnswer(
    (signal) => gateway.search.fields({ params: { tenant, index: pattern } }, { signal }),
    [tenant, pattern]
  )
  const known = useMemo(() => fields.value?.fields ?? [], [fields.value])
  const spanNow = useCallback(() => spanOf(tenant, state, indices, Date.now()), [tenant, state, indices])
  const results = useResults(tenant, state, zone, spanNow)
  const { documents, first, error, isLoading } = results
  const problem = queryProblem(error)
  const total = first?.page.total
  const bars = useMemo(
    () =>
      first?.span === undefined || first.interval === undefined
        ? undefined
        : barsOf(first.page.aggregations?.["times"], first.span, first.interval),
    [first]
  )
  const counts = useMemo(() => [bars?.counts ?? []], [bars])
  useEffect(() => {
    if (first === undefined || error !== undefined) return
    if (state.q !== "" || state.filters.length > 0) {
      const parameters = new URLSearchParams(location.search)
      parameters.delete("doc")
      parameters.delete("tenant")
      remember(tenant, parameters.toString())
    }
  }, [first, error, state, tenant])
  const again = () => {
    refresh()
    results.again()
  }
  const add = (filter: Filter) => {
    const rest = state.filters.filter(({ field, value }) => field !== filter.field || value !== filter.value)
    change({ filters: [...rest, filter] })
  }
  const keep = (all: typeof extractions) => {
    setExtractions(all)
    keepStarted(all)
  }
  const close = () => setShown(undefined)
  return (
    <>
      <div className={css.head}>
        <label className={css.index}>
          <span className={look.hidden}>{t.index}</span>
          <input
            key={pattern}
            className={shared.input}
            list="indices"
            defaultValue={pattern}
            spellCheck={false}
            onBlur={({ target }) => change({ index: target.value === `${tenant}-*` ? "" : target.value.trim() })}
            onKeyDown={({ key, currentTarget }) => {
              if (key === "Enter") currentTarget.blur()
            }}
          />
          <datalist id="indices">
            {[`${tenant}-*`, ...indices.map(({ name }) => name)].map((name) => (
              <option key={name} value={name} />
            ))}
          </datalist>
        </label>
        <RangePicker state={state} change={change} zone={zone} span={first?.span} />
        <span className={css.gap} />
        <Button className={look.button!} onPress={again}>
          {t.refresh}
        </Button>
        <Button className={look.button!} onPress={() => setShown("history")}>
          {t.history}
        </Button>
        {mayExtract ? (
          <Button className={look.button!} onPress={() => setShown("extract")}>
            {t.extract}
          </Button>
        ) : null}
      </div>
      <QueryBar
        tenant={tenant}
        state={state}
        change={change}
        fields={known}
        zone={zone}
        problem={problem}
        again={again}
      />
      {state.filters.length === 0 ? null : (
        <ul className={css.chips} aria-label={t.filters}>
          {state.filters.map((filter) => (
            <li key={`${filter.field} ${typeof filter.value} ${textOf(filter.value)}`} className={css.chip}>
              <span className={css.value}>{t.filter(filter.field, textOf(filter.value), filter.isNot)}</span>
              <Button
                className={css.small!}
                aria-label={t.removeFilter(filter.field, textOf(filter.value))}
                onPress={() => change({ filters: state.filters.filter((one) => one !== filter) })}
              >
                ×
              </Button>
            </li>
          ))}
        </ul>
      )}
      {problem === undefined ? <Problem error={error} again={results.retry ?? again} /> : null}
      {fields.error === undefined || error !== undefined ? null : (
        <p className={css.fault}>{messageOf(fields.error)}</p>
      )}
      <ExtractionList
        all={extractions}
        forget={(execution) => keep(extractions.filter((one) => one.execution !== execution))}
      />
      <div className={css.histogram}>
        {bars === undefined ? (
          documents.length > 0 && !isLoading ? (
            <p className={css.count}>{t.noTimes}</p>
          ) : null
        ) : (
          <LazyPlot
            label={t.histogram}
            times={bars.times}
            values={counts}
            width={first?.interval?.ms ?? 0}
            series={series}
            height={120}
            onSelect={(from, to) =>
              change({ from: new Date(from).toISOString(), to: new Date(to).toISOString(), doc: "" })
            }
          />
        )}
      </div>
      <p role="status" className={css.count}>
        {first === undefined ? (error === undefined ? common.loading : "") : t.found(documents.length, total)}
        {isLoading && first !== undefined ? ` ${t.searching}` : ""}
      </p>
      <div className={css.columns}>
        <FieldList tenant={tenant} state={state} change={change} zone={zone} fields={known} add={add} />
        <div className={css.main}>
          {first !== undefined && documents.length === 0 && error === undefined ? (
            <p className={css.nothing}>{t.nothing}</p>
          ) : (
            <Documents
              documents={documents}
              state={state}
              change={change}
              more={results.hasMore ? results.more : undefined}
            />
          )}
        </div>
        {state.doc === "" ? null : (
          <DocumentPanel key={state.doc} tenant={tenant} state={state} change={change} add={add} />
        )}
      </div>
      {shown === "history" ? <LaterDialog load={dialogs.history} props={{ tenant, close }} /> : null}
      {shown === "extract" ? (
        <LaterDialog
          load={dialogs.extract}
          props={{
            ...{ tenant, state, zone, fields: known, total, close },
            // Another one may have been started since this page was drawn.
            started: (one) => keep([one, ...startedOf(tenant)])
          }}
        />
      ) : null}
    </>
  )
}
