import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { Effect, Layer } from "effect"
import type { Settings } from "../../src/services/shared/settings/Settings.ts"
import { gateway, memoryGateway, raw, TestGateway, temporaryFolder } from "../support/gateway.ts"
import { replaceFile } from "./accessFiles.ts"

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
