import { GatewayError } from "@flow-gateway/client/light"
import { useEffect, useRef, useState, useSyncExternalStore } from "react"
import { useAnswer } from "../../app/answer.ts"
import { decoded } from "../../app/decoded.ts"
import { Link } from "../../app/Link.tsx"
import { usePath, useQuery } from "../../app/location.ts"
import { useTitle } from "../../app/title.ts"
import { Loading } from "../../parts/Frame.tsx"
import { Later } from "../../parts/Later.tsx"
import { Problem } from "../../parts/Problem.tsx"
import pages from "../../parts/pages.module.css"
import { SearchField } from "../../parts/SearchField.tsx"
import { visible } from "../../parts/values.ts"
import { common, guide as t } from "../../texts/en.ts"
import { nameOf } from "./addresses.ts"
import css from "./guide.module.css"
import { anchorOf, Markup } from "./Markup.tsx"
import { addressOfPage } from "./pageAddress.ts"
import { type Page, pageOf } from "./pageOf.ts"

const parts = {
  text: () => import("../../parts/preview/TextView.tsx"),
  results: () => import("./SearchResults.tsx")
}

/**
 * A page of the product. The gateway renders it with the links to all pages, even for a tenant without documentation.
 */
const anyPage = "README.md"

/** Pages with fewer sections get no table of contents. */
const fewSections = 3

const wide = matchMedia("(min-width: 1000px)")
const subscribe = (listener: () => void) => {
  wide.addEventListener("change", listener)
  return () => wide.removeEventListener("change", listener)
}
const useWide = (): boolean => useSyncExternalStore(subscribe, () => wide.matches)

const Contents = ({ page }: { readonly page: Page }) => {
  const sections = [...(page.content?.querySelectorAll("h2[id]") ?? [])]
  if (sections.length < fewSections) return null
  return (
    <nav className={css.contents} aria-label={t.contents}>
      <h2>{t.contents}</h2>
      <ul>
        {sections.map((section) => (
          <li key={section.id}>
            <Link to={addressOfPage(page.path, `#${encodeURIComponent(section.id)}`)}>{section.textContent}</Link>
          </li>
        ))}
      </ul>
    </nav>
  )
}

/** Scrolls to the anchor in the address. */
const useAnchor = (page: Page | undefined): void => {
  useEffect(() => {
    if (page === undefined) return
    const show = () => {
      const id = decoded(location.hash.slice(1))
      const found = id === "" ? null : document.getElementById(anchorOf(id))
      if (found === null) return
      found.scrollIntoView()
      found.focus({ preventScroll: true })
    }
    show()
    // A link within the page only changes the anchor.
    const onClick = ({ target }: MouseEvent) => {
      if (target instanceof Element && target.closest("a") !== null) setTimeout(show)
    }
    document.addEventListener("click", onClick)
    addEventListener("popstate", show)
    return () => {
      document.removeEventListener("click", onClick)
      removeEventListener("popstate", show)
    }
  }, [page])
}

/** The tenant's documentation, or the product's if the tenant has none. */
export const DocumentationView = ({ tenant }: { readonly tenant: string }) => {
  const [, , ...segments] = usePath()
  const [query, setQuery] = useQuery("q")
  const path = nameOf(segments.join("/"))
  const isWide = useWide()
  const [isOpen, setOpen] = useState(false)
  const answer = useAnswer((signal) => pageOf(tenant, path, signal), [tenant, path])
  const { value: page, error } = answer
  const isOwn = page === undefined ? undefined : page.navigation !== undefined
  const other = useAnswer(
    isOwn === false || error !== undefined ? (signal) => pageOf(tenant, anyPage, signal) : undefined,
    [tenant, isOwn === false || error !== undefined]
  )
  const guiding = page?.navigation === undefined ? other.value : page
  // The links stay while another page is loading.
  const kept = useRef(guiding)
  if (guiding !== undefined) kept.current = guiding
  const navigation = kept.current
  useAnchor(query === "" ? page : undefined)
  // A new page starts at its top, and closes the list that it was chosen from.
  // biome-ignore lint/correctness/useExhaustiveDependencies: for each page.
  useEffect(() => {
    setOpen(false)
    if (location.hash === "") scrollTo(0, 0)
  }, [path])
  useTitle(query === "" ? visible(page?.content?.querySelector("h1")?.textContent ?? "") : "")
  const isMissing = error instanceof GatewayError && error.status === 404
  return (
    <div className={css.columns}>
      <div className={css.side}>
        <SearchField label={t.search} value={query} onChange={setQuery} />
        <details
          className={css.pages}
          open={isWide || isOpen}
          onToggle={({ currentTarget }) => {
            if (!isWide) setOpen(currentTarget.open)
          }}
        >
          <summary hidden={isWide}>{t.pages}</summary>
          <nav aria-label={t.all}>
            {navigation?.navigation === undefined ? null : (
              <Markup
                of={navigation.navigation}
                place={
                  query === ""
                    ? { ...navigation.place, current: path }
                    : { base: navigation.place.base, root: navigation.place.root }
                }
              />
            )}
          </nav>
        </details>
      </div>
      {query !== "" ? (
        navigation === undefined ? (
          <p className={pages.dim}>{common.loading}</p>
        ) : (
          <Later load={parts.results} props={{ tenant, query, navigation }} />
        )
      ) : (
        <>
          <article className={css.article} aria-busy={answer.isLoading}>
            {isMissing ? (
              <>
                <p role="alert">{t.missing(visible(path))}</p>
                <p>
                  <Link to={addressOfPage("")}>{t.toStart}</Link>
                </p>
              </>
            ) : (
              <Problem error={error} again={answer.again} />
            )}
            {page === undefined ? (
              <Loading error={error} />
            ) : page.content === undefined ? (
              <>
                <p className={pages.dim}>{t.long}</p>
                <Later load={parts.text} props={{ name: path, text: page.text }} />
              </>
            ) : (
              <Markup of={page.content} place={page.place} />
            )}
          </article>
          {page === undefined ? null : <Contents page={page} />}
        </>
      )}
    </div>
  )
}
