import { StrictMode } from "react"
import { flushSync } from "react-dom"
import { createRoot } from "react-dom/client"
import { refreshed, sessionNow } from "./app/login.ts"
import { App } from "./shell/App.tsx"
import { type FrontPage, showFrontPage } from "./shell/router.tsx"

/**
 * Puts the console in the place of what stands there early. It does so at once, within one task: a key that comes
 * meanwhile waits for it, and goes to what has the focus then.
 */
export const start = async (page: Promise<FrontPage> | undefined, isFree: () => Promise<void>): Promise<void> => {
  if (page !== undefined) showFrontPage(await page)
  // Until it is known who asks, what stands there early stays.
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
