import { type ComponentType, type LazyExoticComponent, lazy } from "react"
import { usePath } from "../app/location.ts"
import { shell } from "../texts/en.ts"

/** A page of the console. The path segments after its own name what it shows. */
export interface Page {
  /** The first part of the path below `/console/`; empty for the front page. */
  readonly path: string
  readonly title: string
  /** The navigation has no entry for it. */
  readonly isHidden?: boolean
  /** Loads it. */
  readonly load: () => Promise<{ readonly default: ComponentType }>
}

const loadTester = () => import("../pages/tester/TesterPage.tsx")
export type FrontPage = Awaited<ReturnType<typeof loadTester>>
let tester: FrontPage | undefined

/** Registers the front page that was loaded in parallel, so that frame and page are shown at once. */
export const showFrontPage = (page: FrontPage): void => {
  tester = page
}

/** Shows a front page that is already loaded, without the delay of a resolved promise. */
const frontPage = () =>
  tester === undefined
    ? loadTester()
    : // biome-ignore lint/suspicious/noThenProperty: React asks such a thing at once.
      ({ then: (found: (page: typeof tester) => void) => found(tester) } as Promise<FrontPage>)

/** The pages in the order of the navigation. Each is loaded when it is opened. */
export const pages: ReadonlyArray<Page> = [
  { path: "", title: shell.titles.tester, load: frontPage },
  {
    path: "flowlines",
    title: shell.titles.flowlines,
    load: () => import("../pages/flowlines/FlowlinesPage.tsx")
  },
  { path: "runs", title: shell.titles.runs, load: () => import("../pages/runs/RunsPage.tsx") },
  { path: "channels", title: shell.titles.channels, load: () => import("../pages/channels/ChannelsPage.tsx") },
  { path: "search", title: shell.titles.search, load: () => import("../pages/search/SearchPage.tsx") },
  { path: "data", title: shell.titles.data, load: () => import("../pages/data/DataPage.tsx") },
  { path: "guide", title: shell.titles.guide, load: () => import("../pages/guide/GuidePage.tsx") },
  { path: "admin", title: shell.titles.admin, load: () => import("../pages/admin/AdminPage.tsx") },
  {
    path: "login",
    title: shell.titles.login,
    isHidden: true,
    load: () => import("../pages/login/LoginPage.tsx")
  }
]

/** The page of the address; undefined if there is none. */
export const usePage = (): Page | undefined => {
  const [first = ""] = usePath()
  return pages.find(({ path }) => path === first)
}

const contents = new Map<Page, LazyExoticComponent<ComponentType>>()

/** The content of a page, which is loaded when it is shown. */
export const contentOf = (page: Page): LazyExoticComponent<ComponentType> => {
  const content = contents.get(page) ?? lazy(page.load)
  contents.set(page, content)
  return content
}

/** Loads the content again when it is shown: React keeps a failure. */
export const forget = (page: Page): void => void contents.delete(page)
