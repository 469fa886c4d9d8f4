import { useEffect, useMemo, useState } from "react"
import { isLost, useReachable } from "../../app/gateway.ts"
import { Link } from "../../app/Link.tsx"
import { Problem } from "../../parts/Problem.tsx"
import pages from "../../parts/pages.module.css"
import { visible } from "../../parts/values.ts"
import { common, guide as t } from "../../texts/en.ts"
import { type Corpus, readCorpus } from "./corpus.ts"
import css from "./guide.module.css"
import { addressOfPage } from "./pageAddress.ts"
import type { Page } from "./pageOf.ts"
import { search, wordsOf } from "./search.ts"

/** Maximum number of listed pages. */
const mostShown = 100
/** Milliseconds for which loaded pages are searched again instead of loaded. */
const freshFor = 5 * 60_000

let kept: { readonly tenant: string; readonly corpus: Corpus; readonly at: number } | undefined

const Marked = ({ text, words }: { readonly text: string; readonly words: ReadonlyArray<string> }) => {
  const pattern = words.map((word) => word.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&")).join("|")
  const pieces = text.split(new RegExp(`(${pattern})`, "gi"))
  return pieces.map((piece, at) =>
    // biome-ignore lint/suspicious/noArrayIndexKey: the pieces of a text have no other names.
    at % 2 === 0 ? visible(piece) : <mark key={at}>{visible(piece)}</mark>
  )
}

/** The pages that match the search, listed while pages are still loading. */
const SearchResults = ({
  tenant,
  query,
  navigation
}: {
  readonly tenant: string
  readonly query: string
  readonly navigation: Page
}) => {
  const [corpus, setCorpus] = useState<Corpus>()
  const [error, setError] = useState<unknown>()
  const [round, setRound] = useState(0)
  const isReachable = useReachable()
  // biome-ignore lint/correctness/useExhaustiveDependencies: the links of another page are the same.
  useEffect(() => {
    if (kept?.tenant === tenant && Date.now() - kept.at < freshFor) {
      setCorpus(kept.corpus)
      return
    }
    const ending = new AbortController()
    setError(undefined)
    readCorpus(tenant, navigation, ending.signal, (found) => {
      if (ending.signal.aborted) return
      setCorpus(found)
      if (found.isDone && found.failed === 0) kept = { tenant, corpus: found, at: Date.now() }
    }).catch((cause: unknown) => {
      if (!ending.signal.aborted) setError(cause)
    })
    return () => ending.abort()
  }, [tenant, round])
  const again = () => setRound((count) => count + 1)
  // biome-ignore lint/correctness/useExhaustiveDependencies: only when a lost gateway is back.
  useEffect(() => {
    if (isReachable && (isLost(error) || (corpus?.failed ?? 0) > 0)) again()
  }, [isReachable])
  const hits = useMemo(() => search(corpus?.pages ?? [], query), [corpus, query])
  const words = wordsOf(query)
  return (
    <section className={css.article} aria-label={t.search}>
      <p role="status" className={pages.dim}>
        {corpus === undefined
          ? common.loading
          : corpus.isDone
            ? t.found(hits.length, corpus.pages.length)
            : t.searching(corpus.pages.length, corpus.known)}
      </p>
      <Problem error={error} again={again} />
      {corpus?.isDone === true && corpus.failed > 0 ? <p>{t.notRead(corpus.failed)}</p> : null}
      {corpus?.isDone === true && hits.length === 0 ? <p>{t.noneFound}</p> : null}
      <ol className={css.hits}>
        {hits.slice(0, mostShown).map(({ page, snippet }) => (
          <li key={page.path}>
            <Link to={addressOfPage(page.path)}>{visible(page.title)}</Link>
            <span className={pages.dim}> {visible(page.path)}</span>
            <p>
              <Marked text={snippet} words={words} />
            </p>
          </li>
        ))}
      </ol>
    </section>
  )
}

export default SearchResults
