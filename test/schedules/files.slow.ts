import { appendFileSync, mkdirSync, renameSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { configuration } from "../support/conf.ts"
import { gateway } from "../support/gateway.ts"
import { until } from "../support/process.ts"
import { call, firings, printed, put, saved, untilFirings } from "./support.ts"

class Folder extends Context.Service<
  Folder,
  { readonly write: (name: string, text: string) => void; readonly at: string }
>()("test/Folder") {}

const withFolder = Layer.unwrap(
  Effect.map(configuration, ({ root, folderOf }) => {
    const at = join(folderOf("mytenant"), "incoming")
    mkdirSync(at, { recursive: true })
    const write = (name: string, text: string) => writeFileSync(join(at, name), text)
    return Layer.merge(gateway({ conf: root }), Layer.succeed(Folder, { write, at }))
  })
)

const reading = `
runtime: stream
dag:
  - { type: file_input, settings: { path: "\${trigger:file}", format: lines }, publish: [ { stream: out } ] }
  - { type: show, subscribe: [ { component: file_input, stream: out } ] }
`

const names = (all: ReadonlyArray<{ readonly file: string | null }>) => all.map(({ file }) => file)

layer(withFolder, { excludeTestServices: true })("schedules of new files", (it) => {
  it.effect("fire once for each file that came and rests, and run it", () =>
    Effect.gen(function* () {
      const { write, at } = yield* Folder
      write("before.log", "old\n")
      const flowline = yield* saved(reading)
      const made = yield* put("incoming", { flowline, trigger: { file: { path: "incoming/*.log", restsFor: "1s" } } })
      expect(made.status).toBe(201)
      write("a.log", "one\ntwo\n")
      write("a.txt", "another name\n")
      const [first] = yield* untilFirings("incoming", ([one]) => one?.state === "SUCCEEDED")
      expect(first).toMatchObject({ kind: "file", file: "incoming/a.log" })
      expect(yield* printed(first!.execution!)).toEqual([{ message: "one" }, { message: "two" }])
      // A file that replaces another one is new. So are files whose names look like patterns, which cannot be read.
      write("b.tmp", "three\n")
      renameSync(join(at, "b.tmp"), join(at, "b.log"))
      writeFileSync(join(at, "new.tmp"), "four\n")
      renameSync(join(at, "new.tmp"), join(at, "a.log"))
      write("odd[1].log", "five\n")
      write("odd\n2.log", "six\n")
      writeFileSync(Buffer.concat([Buffer.from(`${at}/`), Buffer.of(0xff), Buffer.from(".log")]), "seven\n")
      symlinkSync("/etc/passwd", join(at, "outside.log"))
      const all = yield* untilFirings(
        "incoming",
        (found) => found.length >= 6 && found.every(({ endedAt }) => endedAt !== null)
      )
      expect(names(all).toSorted()).toEqual(
        [
          "incoming/a.log",
          "incoming/a.log",
          "incoming/b.log",
          "incoming/odd[1].log",
          "incoming/odd\\n2.log",
          "incoming/\\xff.log"
        ].toSorted()
      )
      for (const odd of all.filter(({ file }) => file?.includes("\\"))) {
        expect(odd).toMatchObject({ state: "REFUSED", reason: expect.stringContaining("control characters") })
      }
      expect(all.find(({ file }) => file === "incoming/odd[1].log")).toMatchObject({
        state: "REFUSED",
        reason: expect.stringContaining("characters of patterns")
      })
      // Old firings may be forgotten, files that are still there are not.
      const sql = yield* SqlClient.SqlClient
      yield* sql`delete from schedule_firings`
      appendFileSync(join(at, "b.log"), "more\n")
      const [again] = yield* untilFirings("incoming", ([one]) => one?.state === "SUCCEEDED")
      expect(again?.file).toBe("incoming/b.log")
      expect(yield* firings("incoming")).toHaveLength(1)
      yield* call("DELETE", "schedules/incoming")
    })
  )

  it.effect("wait for a file that grows", () =>
    Effect.gen(function* () {
      const { write, at } = yield* Folder
      const sql = yield* SqlClient.SqlClient
      const flowline = yield* saved(reading)
      yield* put("growing", { flowline, trigger: { file: { path: "incoming/grow.csv", restsFor: "1h" } } })
      const seen = Effect.map(
        sql<{ version: string; rests: boolean }>`
          select version, since < clock_timestamp() - interval '1 hour' as rests from schedule_files
          where schedule = 'growing'`,
        ([row]) => row
      )
      write("grow.csv", "1\n")
      const first = yield* until(seen, (row) => row !== undefined)
      // As if it had been unchanged: it has grown meanwhile, so the waiting time starts anew.
      appendFileSync(join(at, "grow.csv"), "2\n")
      yield* sql`update schedule_files set since = since - interval '2 hours' where schedule = 'growing'`
      expect((yield* until(seen, (row) => row?.version !== first?.version))?.rests).toBe(false)
      expect(yield* firings("growing")).toEqual([])
      yield* sql`update schedule_files set since = since - interval '2 hours' where schedule = 'growing'`
      const [one] = yield* untilFirings("growing", ([found]) => found?.state === "SUCCEEDED")
      expect(yield* printed(one!.execution!)).toEqual([{ message: "1" }, { message: "2" }])
      yield* call("DELETE", "schedules/growing")
    })
  )
})
