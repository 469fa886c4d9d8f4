import { createSocket } from "node:dgram"
import { appendFile, readFile, rename, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { eventually } from "../support/process.ts"
import { running } from "./running.ts"
import { flowline, node, places, settings, spec } from "./support.ts"

const following = (more: Record<string, unknown>, output = node("show", { limit: 1_000_000 }, "file_input")) =>
  spec(flowline([node("file_input", { path: "samples/a.log", follow: true, ...more }), output]))

const wait = (condition: () => boolean) => Effect.promise(() => eventually("what the test waits for", condition))
const act = (work: () => Promise<unknown>) => Effect.promise(work)

/** An event of several lines. */
const eventOf = (number: number) => `event ${number}\n  at one\n  at two`

describe("a followed file with events of several lines", () => {
  it.live("gives an event when the next one begins, when nothing more comes, and when the file is over", () =>
    Effect.gen(function* () {
      const { root, conf } = yield* places
      const log = join(conf, "samples", "a.log")
      yield* act(() => writeFile(log, "one\n 1\n"))
      // Nothing is due within an hour: only the lines themselves complete an event.
      const patient = { multiline: { continuation: "^ ", flush_after: 3600 }, source: true }
      const run = yield* running(settings(root), following(patient))
      yield* act(() => appendFile(log, " 2\ntwo\n"))
      yield* wait(() => run.records().length === 1)
      assert.deepStrictEqual(run.lines(), ["one\n 1\n 2"])
      yield* act(() => appendFile(log, " 3\n"))
      yield* act(() => rename(log, `${log}.old`))
      yield* act(() => writeFile(log, "three\n"))
      yield* wait(() => run.records().length === 2)
      yield* act(() => appendFile(log, "four\n"))
      yield* wait(() => run.records().length === 3)
      assert.deepStrictEqual(run.records(), [
        { message: "one\n 1\n 2", _source: { file: "samples/a.log", line: 1, offset: 0 } },
        { message: "two\n 3", _source: { file: "samples/a.log", line: 4, offset: 10 } },
        { message: "three", _source: { file: "samples/a.log", line: 1, offset: 0 } }
      ])
      yield* run.stop
      // The last event has no successor.
      const prompt = { multiline: { continuation: "^ ", flush_after: 0.2 } }
      const other = yield* running(settings(root), following(prompt))
      yield* wait(() => other.lines().includes("four"))
      yield* act(() => appendFile(log, " late\n"))
      yield* wait(() => other.lines().includes(" late"))
      yield* other.stop
    })
  )

  it.live("reads an event again that a killed run had half", () =>
    Effect.gen(function* () {
      const { root, conf } = yield* places
      const log = join(conf, "samples", "a.log")
      const given = { multiline: { start: "^event", flush_after: 3600 }, source: true }
      yield* act(() => writeFile(log, `${eventOf(1)}\n${eventOf(2)}\nevent 3\n`))
      const first = yield* running(settings(root), following(given))
      const reached = () => {
        const saved = first.positions()["file_input"] as { files: ReadonlyArray<{ offset: number; line: number }> }
        return saved?.files[0]
      }
      yield* wait(() => reached() !== undefined && first.records().length === 2)
      // The run has read the start of the third event, and its position is before it.
      yield* wait(() => reached()?.offset === 2 * (eventOf(1).length + 1))
      assert.strictEqual(reached()?.line, 7)
      process.kill(first.pid(), "SIGKILL")
      yield* first.over
      yield* act(() => appendFile(log, `  at one\n  at two\n${eventOf(4)}\nevent 5\n`))
      const again = { ...following(given), epoch: 2, positions: first.positions() }
      const second = yield* running(settings(root), again)
      yield* wait(() => second.records().length === 2)
      const bytes = eventOf(1).length + 1
      assert.deepStrictEqual(second.records(), [
        { message: eventOf(3), _source: { file: "samples/a.log", line: 7, offset: 2 * bytes } },
        { message: eventOf(4), _source: { file: "samples/a.log", line: 10, offset: 3 * bytes } }
      ])
      yield* second.stop
    })
  )

  it.live("is in UTF-16, also for a run that goes on in the middle of it", () =>
    Effect.gen(function* () {
      const { root, conf } = yield* places
      const log = join(conf, "samples", "a.log")
      const wide = (text: string) => Buffer.from(text, "utf16le").swap16()
      // U+0A0A and U+010A hold the byte of a line end.
      yield* act(() => writeFile(log, wide("\ufeffone \u0a0a\r\ntwo")))
      const given = { encoding: "utf-16", source: true }
      const first = yield* running(settings(root), following(given))
      yield* wait(() => first.records().length === 1 && first.positions()["file_input"] !== undefined)
      assert.deepStrictEqual(first.lines(), ["one \u0a0a"])
      process.kill(first.pid(), "SIGKILL")
      yield* first.over
      yield* act(() => appendFile(log, wide(" \u010a\nthr")))
      const second = yield* running(settings(root), { ...following(given), epoch: 2, positions: first.positions() })
      yield* act(() => appendFile(log, wide("ee\n").subarray(0, 5)))
      yield* act(() => appendFile(log, wide("ee\n").subarray(5)))
      yield* wait(() => second.records().length === 2)
      assert.deepStrictEqual(second.records(), [
        { message: "two \u010a", _source: { file: "samples/a.log", line: 2, offset: 16 } },
        { message: "three", _source: { file: "samples/a.log", line: 3, offset: 28 } }
      ])
      yield* second.stop
    })
  )

  it.live("counts the bytes that are not in its encoding, and warns", () =>
    Effect.gen(function* () {
      const { root, conf } = yield* places
      const log = join(conf, "samples", "a.log")
      yield* act(() => writeFile(log, Buffer.from([0x61, 0xe9, 0xff, 0x0a])))
      const run = yield* running(settings(root), following({}))
      const counters = () =>
        run.messages.flatMap((message) => (message._tag === "Counters" ? [message.nodes[0]] : [])).at(-1)
      yield* wait(() => counters()?.replacedBytes !== undefined)
      assert.strictEqual(counters()?.replacedBytes, 2)
      assert.include(counters()?.warning, "2 bytes")
      yield* run.stop
      assert.strictEqual((yield* Effect.promise(() => readFile(log))).length, 4)
    })
  )
})

const shown = node("show", { limit: 1_000_000 }, "syslog_input")

describe("syslog over UDP with events of several messages", () => {
  it.live("joins the datagrams of a program, and tells two senders apart", () =>
    Effect.gen(function* () {
      const { root } = yield* places
      // A free port of UDP, found by asking for any.
      const port = yield* Effect.promise(
        () =>
          new Promise<number>((resolve) => {
            const probe = createSocket("udp4")
            probe.bind(0, "127.0.0.1", () => {
              const { port } = probe.address()
              probe.close(() => resolve(port))
            })
          })
      )
      const multiline = { continuation: "^\\s", flush_after: 0.5 }
      const run = yield* running(
        settings(root),
        spec(flowline([node("syslog_input", { port, protocol: "udp", multiline }), shown]))
      )
      const sockets = [createSocket("udp4"), createSocket("udp4")]
      const send = (sender: number, text: string) =>
        new Promise<void>((resolve) => sockets[sender]!.send(text, port, "127.0.0.1", () => resolve()))
      // A datagram that arrives before the run listens is lost.
      yield* wait(() => {
        void send(0, "<34>Oct 11 22:14:15 mymachine probe: here\n")
        return run.records().length > 0
      })
      const header = "<34>Oct 11 22:14:15 mymachine app[1]: "
      yield* Effect.promise(async () => {
        await send(0, `${header}one`)
        await send(1, `${header}two`)
        await send(0, `${header}  1`)
        await send(1, "  2")
      })
      const joined = () =>
        run.records().flatMap((record) => (record["appname"] === "app" ? [String(record["message"])] : []))
      yield* wait(() => joined().length >= 2)
      assert.deepStrictEqual(joined().sort(), ["one\n  1", "two\n  2"])
      for (const socket of sockets) socket.close()
      yield* run.stop
    })
  )
})
