import { argon2Sync, randomBytes } from "node:crypto"
import { renameSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Effect, Layer } from "effect"
import { formatPasswordHash } from "../../src/services/access/PasswordHash.ts"
import type { Settings } from "../../src/services/shared/Settings.ts"
import { gateway, memoryGateway, raw, TestGateway, temporaryFolder } from "../support/gateway.ts"

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

type Given = Partial<Settings["Service"]>

const withFile = <A, E, R>(text: string, make: (auth: string) => Layer.Layer<A, E, R>) =>
  Layer.unwrap(
    Effect.map(temporaryFolder, (folder) => {
      const path = join(folder, "access.yaml")
      writeFileSync(path, text)
      return make(path)
    })
  )

/** A gateway in memory with an access file. */
export const guarded = (text: string, given: Given = {}) => withFile(text, (auth) => memoryGateway({ auth, ...given }))

/** The real gateway with an access file. */
export const guardedGateway = (text: string, given: Given = {}) => withFile(text, (auth) => gateway({ auth, ...given }))

export const basic = (name: string, password: string): string =>
  `Basic ${Buffer.from(`${name}:${password}`).toString("base64")}`

/** The status of a request with an `Authorization` header, or with none. */
export const statusOf = (path: string, authorization?: string, init: RequestInit = {}) =>
  Effect.gen(function* () {
    const headers = authorization === undefined ? {} : { authorization }
    const response = yield* raw(path, { ...init, headers: { ...init.headers, ...headers } })
    yield* Effect.promise(() => response.arrayBuffer())
    return response.status
  })

/** Overwrites the access file of the running gateway. */
export const replaceAccess = (text: string) =>
  Effect.map(TestGateway, ({ settings }) => replaceFile(settings.auth ?? "", text))
