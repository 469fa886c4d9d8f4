import { Effect } from "effect"
import { raw, TestGateway } from "../support/gateway.ts"

export interface Part {
  readonly bytes: string | Uint8Array<ArrayBuffer>
  readonly name?: string
}

/** A form of files and text fields. */
export const form = (parts: Readonly<Record<string, string | Part>>): FormData => {
  const body = new FormData()
  for (const [name, part] of Object.entries(parts)) {
    if (typeof part === "string") body.set(name, part)
    else body.set(name, new Blob([part.bytes]), part.name ?? name)
  }
  return body
}

export interface Manifest {
  readonly group: string
  readonly artifact: string
  readonly version: string
  readonly type?: string
  readonly [name: string]: unknown
}

export const manifestOf = (given: Partial<Manifest> & { readonly version?: string }): string =>
  JSON.stringify({ group: "org.example", artifact: "tool", version: "1.0.0", type: "FILE", ...given })

/** The form of an upload. */
export const build = (
  given: Partial<Manifest>,
  bytes: string | Uint8Array<ArrayBuffer> = "build",
  name = "build.txt"
): FormData => form({ input: { bytes, name }, manifest: { bytes: manifestOf(given), name: "manifest.json" } })

/** A tenant of the example configuration that a test does not share with the others of its file. */
export const tenant = "mytenant"

export const upload = (
  given: Partial<Manifest>,
  bytes?: string | Uint8Array<ArrayBuffer>,
  name?: string,
  of = tenant
) =>
  Effect.flatMap(TestGateway, ({ client }) =>
    client.resources.upload({ params: { tenant: of }, payload: build(given, bytes, name) })
  )

/** Status, problem or JSON, and headers of a request without the client. */
export const ask = (path: string, init: RequestInit = {}) =>
  Effect.gen(function* () {
    const answer = yield* raw(path, init)
    const text = yield* Effect.promise(() => answer.text())
    const json: unknown = answer.headers.get("content-type")?.includes("json") === true ? JSON.parse(text) : undefined
    return { status: answer.status, text, json, headers: answer.headers }
  })
