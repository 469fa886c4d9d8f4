import { StrictMode } from "react"
import { flushSync } from "react-dom"
import { createRoot } from "react-dom/client"
import { refreshed, sessionNow } from "./app/login.ts"
import { App } from "./shell/App.tsx"
import { type FrontPage, showFrontPage } from "./shell/router.tsx"

/**
 * Replaces the early page by the console. This happens within one task, so that a key pressed meanwhile waits for it
 * and goes to the element that then has the focus.
 */
export const start = async (page: Promise<FrontPage> | undefined, isFree: () => Promise<void>): Promise<void> => {
  if (page !== undefined) showFrontPage(await page)
  // The early page stays until the user is known.
  if (sessionNow() === undefined) await refreshed
  await isFree()
  flushSync(() =>
    createRoot(document.getElementById("root")!).render(
      <StrictMode>
        <App />
      </StrictMode>
    )
  )
}
