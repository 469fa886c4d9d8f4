import "./shell/theme.css"
import { consolePath } from "./app/base.ts"
import { applyTheme } from "./app/colours.ts"
import { element } from "./app/element.ts"
import { isFree, showEarly } from "./pages/tester/EarlyTester.ts"
import css from "./shell/shell.module.css"
import { shell } from "./texts/en.ts"

// The first script of the page. It is small, so that the editors of the front page accept input long before the rest is
// loaded.

/** Shows that the rest of the page could not be loaded. What was typed is kept. */
const failed = (): void => {
  const again = element("button", { type: "button", class: css.reload }, shell.reload)
  again.addEventListener("click", () => location.reload())
  document.getElementById("connection")?.append(element("div", { class: css.lost }, shell.lost, again))
}

const isFrontPage = location.pathname === consolePath
applyTheme()
const here = isFrontPage
  ? [
      element("button", { type: "button", class: css.menu, disabled: "" }, `☰ ${shell.titles.tester}`),
      element("nav", { class: css.nav }, element("a", { href: "", "aria-current": "page" }, shell.titles.tester))
    ]
  : []
const main = element("main", { id: "main", tabindex: "-1", class: css.main })
document
  .getElementById("root")!
  .append(
    element("header", { class: css.header }, element("span", { class: css.brand }, shell.product), ...here),
    element("div", { id: "connection", role: "status", class: css.connection }),
    main
  )
if (isFrontPage) void showEarly(main)
/** Waits until the early page has been painted: a browser that already has the rest would run it first. */
const seen = (): Promise<void> =>
  new Promise((done) => {
    if (document.hidden) done()
    else requestAnimationFrame(() => setTimeout(done))
    // A hidden window paints nothing.
    setTimeout(done, 500)
  })

const load = async (): Promise<void> => {
  await seen()
  // Both in parallel; otherwise one would wait for the other.
  const page = isFrontPage ? import("./pages/tester/TesterPage.tsx") : undefined
  page?.catch(() => {})
  const { start } = await import("./main.tsx")
  await start(page, isFree)
}

load().catch(failed)
