import { createServer } from "node:net"
import { PgClient } from "@effect/sql-pg"
import { expect, it } from "@effect/vitest"
import { Cause, Effect, Redacted } from "effect"
import { Reactivity } from "effect/reactivity"
import type { SqlError } from "effect/sql/SqlError"
import { unreachable } from "../../src/drivers/postgres/Unreachable.ts"
import { StorageUnreachable } from "../../src/errors/StorageUnreachable.ts"
import { startFailure } from "../../src/layers/StartFailure.ts"

/** Answers each connection with these bytes. */
const answering = (bytes: Buffer) =>
  Effect.acquireRelease(
    Effect.promise(
      () =>
        new Promise<{ url: string; close: () => void }>((done) => {
          const server = createServer((socket) => {
            socket.on("error", () => {})
            socket.once("data", () => socket.end(bytes))
          }).listen(0, "127.0.0.1", () => {
            const address = server.address()
            const port = typeof address === "object" && address !== null ? address.port : 0
            done({ url: `postgres://flow:secret@127.0.0.1:${port}/flow?sslmode=disable`, close: () => server.close() })
          })
        })
    ),
    ({ close }) => Effect.sync(close)
  )

/** FATAL, as PostgreSQL says it in its protocol. */
const fatal = (code: string, message: string) => {
  const fields = Buffer.from(`SFATAL\0VFATAL\0C${code}\0M${message}\0\0`)
  const head = Buffer.from("E0000")
  head.writeInt32BE(fields.length + 4, 1)
  return Buffer.concat([head, fields])
}

const failureOf = (bytes: Buffer) =>
  Effect.gen(function* () {
    const { url } = yield* answering(bytes)
    return yield* Effect.flip(Effect.scoped(PgClient.makeClient({ url: Redacted.make(url) })))
  }).pipe(Effect.scoped, Effect.provide(Reactivity.layer))

const told = (error: SqlError) => [startFailure(Cause.die(error)), startFailure(Cause.fail(error))]

it.live(
  "a server without room for another connection is a storage that cannot be reached, and stops a start in a line",
  () =>
    Effect.gen(function* () {
      const full = yield* failureOf(fatal("53300", "sorry, too many clients already"))
      expect(new Set(told(full))).toEqual(new Set(["PostgreSQL cannot be used: sorry, too many clients already"]))
      // PostgreSQL's own words when it can start no process: a text without a length.
      const forked = yield* failureOf(
        Buffer.from("Ecould not fork new process for connection: Resource temporarily unavailable\n\0")
      )
      for (const line of told(forked))
        expect(line).toMatch(/^PostgreSQL cannot be used: .* cannot start a process; see its log$/)
      for (const error of [full, forked]) {
        expect(yield* Effect.flip(unreachable(Effect.fail(error)))).toBeInstanceOf(StorageUnreachable)
      }
    })
)
