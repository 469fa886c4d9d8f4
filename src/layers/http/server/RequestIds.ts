import { randomBytes } from "node:crypto"

/** Random for each process, as several gateways write to one log. */
const prefix = `${randomBytes(9).toString("base64url")}-`
let made = 0

/** An id that no other request of any gateway has. */
export const newRequestId = (): string => {
  made += 1
  return prefix + made.toString(36)
}

const accepted = /^[A-Za-z0-9._~-]{1,128}$/

/** The id that a request came with. A new one if it has none, several, or one that is unsafe in a log. */
export const requestIdOf = (given: string | ReadonlyArray<string> | undefined): string =>
  typeof given === "string" && accepted.test(given) ? given : newRequestId()
