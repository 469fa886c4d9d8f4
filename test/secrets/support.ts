import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { createServer, type IncomingHttpHeaders } from "node:http"
import { join } from "node:path"
import { PgClient } from "@effect/sql-pg"
import { Effect, Redacted } from "effect"
import { Reactivity } from "effect/reactivity"
import { keyLine } from "../../src/layers/secrets/KeyFile.ts"
import { childrenOf } from "../support/process-gateway.ts"

/** A reference to a secret. */
export const ref = (name: string): string => `\${secret:${name}}`

/** A file of keys, the first of which encrypts. */
export const writeKeys = (path: string, ids: ReadonlyArray<string>): string => {
  const seed = (id: string) => [...id].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) % 251, 7)
  writeFileSync(path, ids.map((id) => `${keyLine(id, new Uint8Array(32).fill(seed(id)))}\n`).join(""), { mode: 0o600 })
  return path
}

/** A request that the receiver has got. */
export interface Received {
  readonly url: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

/** A server on loopback that stores what it receives, and answers when it may. */
export const receiver = Effect.acquireRelease(
  Effect.promise(async () => {
    const received: Array<Received> = []
    let may = Promise.withResolvers<void>()
    may.resolve()
    const server = createServer(async (request, response) => {
      let body = ""
      for await (const chunk of request) body += chunk
      received.push({ url: request.url ?? "", headers: request.headers, body })
      await may.promise
      response.writeHead(200)
      response.end()
    })
    await new Promise<void>((done) => server.listen(0, "127.0.0.1", done))
    const address = server.address()
    const port = typeof address === "object" && address !== null ? address.port : 0
    return {
      url: `http://127.0.0.1:${port}`,
      received,
      /** Answers wait until the returned function is called. */
      hold: () => {
        const held = Promise.withResolvers<void>()
        may = held
        return held.resolve
      },
      close: () => {
        may.resolve()
        server.closeAllConnections()
        return new Promise<void>((done) => server.close(() => done()))
      }
    }
  }),
  ({ close }) => Effect.promise(close)
)

/** The ways in which a value would be found: as it is, and as bytes in dumps, base64 and URLs. */
export const traces = (value: string): ReadonlyArray<string> => [
  value,
  JSON.stringify(value).slice(1, -1),
  encodeURIComponent(value),
  Buffer.from(value).toString("base64").replace(/=+$/, ""),
  Buffer.from(value).toString("hex")
]

/** The names of entries that contain a trace of one of the values. */
export const leaks = (texts: ReadonlyMap<string, string>, values: ReadonlyArray<string>): ReadonlyArray<string> =>
  [...texts].flatMap(([name, text]) =>
    values.flatMap(traces).flatMap((trace) => {
      const at = text.indexOf(trace)
      return at === -1 ? [] : [`${name}: ${text.slice(Math.max(0, at - 100), at + trace.length + 20)}`]
    })
  )

/** All rows of all tables of a database as text, by table. Bytes are hexadecimal. */
export const databaseText = (url: string): Effect.Effect<ReadonlyMap<string, string>> =>
  Effect.gen(function* () {
    const sql = yield* PgClient.makeClient({ url: Redacted.make(url) })
    const tables = yield* sql<{ schema: string; name: string }>`
      select table_schema as schema, table_name as name from information_schema.tables
      where table_type = 'BASE TABLE' and table_schema not in ('pg_catalog', 'information_schema')`
    const texts = new Map<string, string>()
    for (const { schema, name } of tables) {
      const rows = yield* sql<{ text: string }>`select t::text as text from ${sql(schema)}.${sql(name)} t`
      texts.set(`table ${name}`, rows.map(({ text }) => text).join("\n"))
    }
    return texts
  }).pipe(Effect.scoped, Effect.provide(Reactivity.layer), Effect.orDie)

/** The files below a folder, as Latin-1 and so with all their bytes. */
export const folderText = (folder: string): ReadonlyMap<string, string> =>
  new Map(
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .map((path) => [`file ${path}`, readFileSync(path, "latin1")])
  )

const inProc = (pid: number, name: string): string => {
  try {
    return readFileSync(`/proc/${pid}/${name}`, "utf8")
  } catch {
    return ""
  }
}

/** Arguments and environments of a process and all below it. */
export const processText = (pid: number): ReadonlyMap<string, string> =>
  new Map([
    ...["cmdline", "environ"].map(
      (name) => [`${name} of ${pid} (${inProc(pid, "comm").trim()})`, inProc(pid, name)] as const
    ),
    ...childrenOf(pid).flatMap((child) => [...processText(child)])
  ])
