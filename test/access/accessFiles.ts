import { argon2Sync, randomBytes } from "node:crypto"
import { renameSync, writeFileSync } from "node:fs"
import { formatPasswordHash } from "../../src/services/access/PasswordHash.ts"

/** The least cost that the access file allows: some ten milliseconds. */
const cheap = { memory: 7168, passes: 1, parallelism: 1 }

/** The stored hash of a password, derived by Node itself and not by the code under test. */
export const hashOf = (password: string, cost = cheap): string => {
  const salt = randomBytes(16)
  const hash = argon2Sync("argon2id", { message: Buffer.from(password), nonce: salt, tagLength: 32, ...cost })
  return formatPasswordHash({ ...cost, salt, hash })
}

export interface TestUser {
  readonly stored: string
  readonly roles: Readonly<Record<string, string>>
}

/** An access file in JSON, which YAML contains. */
export const accessFile = (users: Readonly<Record<string, TestUser>>, more: object = {}): string =>
  JSON.stringify({
    users: Object.fromEntries(
      Object.entries(users).map(([name, { stored, roles }]) => [name, { password: stored, roles }])
    ),
    ...more
  })

/** Writes the file as editors do: a new one takes the place of the old one. */
export const replaceFile = (path: string, text: string): void => {
  writeFileSync(`${path}.new`, text)
  renameSync(`${path}.new`, path)
}
