import { consolePath, gatewayBase } from "./base.ts"
import { keyOf } from "./stored.ts"

const key = keyOf("return")

/** Saves the address of the page with its fragment for the return from an issuer. It is saved for this tab only. */
export const keepPlace = (): void => {
  const { pathname, search, hash } = location
  // After a failed login the browser is on the page `login`; the address where it began is still saved.
  if (pathname === `${consolePath}login`) return
  try {
    sessionStorage.setItem(key, pathname + search + hash)
  } catch {
    // Without storage the login ends at the front page.
  }
}

/** Takes the saved address, which is removed; undefined if there is none. */
export const takePlace = (): string | undefined => {
  try {
    const place = sessionStorage.getItem(key)
    sessionStorage.removeItem(key)
    return place?.startsWith(consolePath) ? place : undefined
  } catch {
    return undefined
  }
}

/** The address at which a login at the issuer begins. It returns to the console's page `login`. */
export const issuerLogin = (issuer: string): string =>
  `${gatewayBase}console/login/oidc?${new URLSearchParams({ issuer, at: gatewayBase, return: "login" })}`
