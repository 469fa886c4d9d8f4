import { consolePath, gatewayBase } from "./base.ts"
import { keyOf } from "./stored.ts"

const key = keyOf("return")

/** Keeps the address of the page, its fragment included, for the way back from an issuer. It stays in this tab. */
export const keepPlace = (): void => {
  const { pathname, search, hash } = location
  // A login that has failed comes back to the page `login`: the address from which it began is still kept.
  if (pathname === `${consolePath}login`) return
  try {
    sessionStorage.setItem(key, pathname + search + hash)
  } catch {
    // A browser that keeps nothing: the login ends at the front page.
  }
}

/** The address that was kept, once; undefined where there is none. */
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
