import { it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { describe, expect } from "vitest"
import type { Guard } from "../../src/languages/Guard.ts"
import { fileInput } from "../../src/nodes/inputs/FileInput.ts"
import { syslogInput } from "../../src/nodes/inputs/SyslogInput.ts"
import type { Event, NodeContext } from "../../src/nodes/Node.ts"
import { eventually } from "../support/process.ts"
import { seed } from "../support/random.ts"
import { Memory } from "./memory.ts"
import { issues } from "./one.ts"

type Given = Readonly<Record<string, unknown>>

const read = async (multiline: Given, chunks: ReadonlyArray<Uint8Array | string>, more: Partial<NodeContext> = {}) => {
  const streams: { "*": Array<Event>; errors: Array<Event> } = { "*": [], errors: [] }
  const bytes = chunks.map((chunk) => (typeof chunk === "string" ? new TextEncoder().encode(chunk) : chunk))
  const context = { ...new Memory({ "a.log": bytes }).nodeContext("in"), ...more }
  const settings = Schema.decodeUnknownSync(fileInput.settings)({ path: "a.log", source: true, multiline })
  const instance = await fileInput.start(settings, context)
  await instance.run!((stream, batch) => void streams[stream === "errors" ? "errors" : "*"].push(...batch))
  return { records: streams["*"], errors: streams.errors }
}

const messages = async (multiline: Given, text: string) =>
  (await read(multiline, [text])).records.map(({ message }) => message)

const java = [
  '2026-01-02 10:00:00 ERROR Exception in thread "main" java.lang.IllegalStateException: no\r\n' +
    "\tat com.acme.Main.run(Main.java:7)\r\n" +
    "Caused by: java.io.IOException: gone\r\n" +
    "\t... 1 more\r\n",
  "2026-01-02 10:00:01 INFO on we go\r\n"
]
const python = [
  'Traceback (most recent call last):\n  File "a.py", line 1, in <module>\n    boom()\nValueError: boom\n',
  "INFO:root:on we go\n"
]
const events = (texts: ReadonlyArray<string>) => texts.map((text) => text.replaceAll("\r", "").replace(/\n$/, ""))

describe("lines that belong together", () => {
  it("are the stack traces of Java, by what begins a record or by what continues it", async () => {
    const text = java.join("")
    expect(await messages({ start: "^\\d{4}-\\d\\d-\\d\\d" }, text)).toEqual(events(java))
    expect(await messages({ continuation: "^\\s|^Caused by:" }, text)).toEqual(events(java))
    expect(await messages({ continuation: "^\\d{4}-\\d\\d-\\d\\d", negate: true }, text)).toEqual(events(java))
    expect(await messages({ start: "^\\s|^Caused by:", negate: true }, text)).toEqual(events(java))
  })

  it("are the tracebacks of Python", async () => {
    const text = [...python, ...python].join("")
    const given = { start: "^(Traceback|[A-Z]+:)" }
    expect(await messages(given, text)).toEqual(events([...python, ...python]))
  })

  it("say where the first of them is", async () => {
    const { records } = await read({ start: "^\\d{4}-" }, [java.join("")])
    expect(records.map((record) => record["_source"])).toEqual([
      { file: "a.log", line: 1, offset: 0 },
      { file: "a.log", line: 5, offset: Buffer.byteLength(java[0]!) }
    ])
  })

  it("are cut at a limit, and what follows is the next record", async () => {
    const text = "a\n 1\n 2\n 3\n 4\nb\n 1\nc\n"
    const tags = ["_multilinelimit"]
    const by = async (given: Given) =>
      (await read({ continuation: "^ ", ...given }, [text])).records.map(({ _source: _, ...rest }) => rest)
    expect(await by({ max_lines: 2 })).toEqual([
      { message: "a\n 1", tags },
      { message: " 2\n 3", tags },
      { message: " 4" },
      { message: "b\n 1" },
      { message: "c" }
    ])
    const wide = `x\n${` ${"y".repeat(499)}\n`.repeat(5)}`
    const { records } = await read({ continuation: "^ ", max_bytes: 1024 }, [wide])
    expect(records.map(({ message, tags }) => [String(message).length, tags])).toEqual([
      [1003, ["_multilinelimit"]],
      [1001, ["_multilinelimit"]],
      [500, undefined]
    ])
  })

  it("end before a line that is too long", async () => {
    const { records, errors } = await read({ continuation: "^ " }, [`a\n 1\n ${"x".repeat(1_048_577)}\n 2\nb`])
    expect(records.map(({ message }) => message)).toEqual(["a\n 1", " 2", "b"])
    expect(errors).toMatchObject([{ _source: { line: 3, offset: 5 } }])
  })

  it("fail where the pattern does not come to an end", async () => {
    const slow = "a".repeat(30)
    const guard: Guard = {
      // Interrupts a step that matches the slow line, as the time limit of a run does.
      within: (_, step) => {
        const test = RegExp.prototype.test
        RegExp.prototype.test = function (text) {
          if (text === slow) throw new Error("interrupted")
          return test.call(this, text)
        }
        try {
          step()
          return true
        } catch {
          return false
        } finally {
          RegExp.prototype.test = test
        }
      },
      processorMillis: (
        (now) => () =>
          (now += 10_000)
      )(0)
    }
    const { records, errors } = await read({ continuation: "^ " }, [`a\n 1\n${slow}\n 2\n`], { guard })
    expect(records.map(({ message }) => message)).toEqual(["a\n 1", " 2"])
    expect(errors).toMatchObject([
      { message: slow, error: { reason: "the pattern of multiline took longer than 1000 ms for the line" } }
    ])
  })

  const Picks = Schema.Array(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 5 })))
  const Places = Schema.Array(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 999 })))
  const lines = ["a", "b é", " c", "\td€", "", " "]
  it.effect.prop(
    "are whole and in order, however the bytes are cut",
    { picks: Picks, places: Places },
    ({ picks, places }) =>
      Effect.promise(async () => {
        const texts = picks.map((pick) => lines[pick]!)
        const wanted: Array<Array<string>> = []
        for (const text of texts) {
          if (wanted.length === 0 || !/^\s/.test(text)) wanted.push([text])
          else wanted.at(-1)!.push(text)
        }
        const bytes = Buffer.from(texts.map((text) => `${text}\n`).join(""))
        const at = [0, ...places.map((place) => place % (bytes.length + 1)).sort((a, b) => a - b), bytes.length]
        const chunks = at.slice(1).map((end, index) => bytes.subarray(at[index]!, end))
        const { records } = await read({ continuation: "^\\s" }, chunks)
        expect(records.map(({ message }) => message)).toEqual(wanted.map((one) => one.join("\n")))
      }),
    { arbitrary: { seed, runs: 300 } }
  )

  it("are told from others by one pattern that compiles, in lines", () => {
    const of = (multiline: Given, more: Given = {}) => issues(fileInput, { path: "a.log", multiline, ...more })
    expect(of({ start: "^a" })).toEqual([])
    expect(of({})).toEqual(["multiline"])
    expect(of({ start: "a", continuation: "b" })).toEqual(["multiline"])
    expect(of({ start: "(" })).toEqual(["multiline/start"])
    expect(of({ continuation: "[" })).toEqual(["multiline/continuation"])
    expect(of({ start: "a", max_lines: 1 })).toEqual(["multiline/max_lines"])
    expect(of({ start: "a", flush_after: 0 })).toEqual(["multiline/flush_after"])
    expect(of({ start: "a" }, { format: "ndjson" })).toEqual(["multiline"])
    expect(issues(syslogInput, { multiline: { start: "(" } })).toEqual(["multiline/start"])
  })
})

/** A syslog input's results for messages of typical senders. */
const listen = async (given: Given) => {
  const got: Array<Event> = []
  const failed: Array<Event> = []
  let serve: ((bytes: AsyncIterable<Uint8Array>) => Promise<void>) | undefined
  const abort = new AbortController()
  const memory = new Memory().nodeContext("in")
  const context: NodeContext = {
    ...memory,
    signal: abort.signal,
    network: {
      ...memory.network,
      tcp: async (_, take) => {
        serve = take
        return { port: 1, close: async () => {} }
      }
    }
  }
  const instance = await syslogInput.start(Schema.decodeUnknownSync(syslogInput.settings)(given), context)
  const over = instance.run!((stream, batch) => void (stream === "errors" ? failed : got).push(...batch))
  over.catch(() => {})
  await Promise.resolve()
  const connect = (bytes: AsyncIterable<Uint8Array>) => serve!(bytes)
  const send = (...chunks: ReadonlyArray<string | Buffer>) =>
    connect(
      (async function* () {
        for (const chunk of chunks) yield Buffer.from(chunk)
      })()
    )
  const until = (count: number) => eventually(`${count} records`, () => got.length + failed.length >= count)
  return { connect, send, until, got, failed, stop: () => abort.abort(new Error("over")) }
}

const from = (app: string, message: string) => `<11>Oct 11 22:14:15 web1 ${app}[7]: ${message}\n`

describe("syslog messages that belong together", () => {
  it("are those of one program, each with a header, and lines behind one header", async () => {
    const input = await listen({ multiline: { continuation: "^\\s|^Caused by:", flush_after: 3600 } })
    await input.send(
      from("shop", "Exception: no") + from("mail", "sent"),
      from("shop", "\tat a.B.c(B.java:1)"),
      from("mail", "sent again") + from("shop", "Caused by: gone"),
      "<12>Oct 11 22:14:16 web1 cron[9]: Trace\n  one\n  two\n"
    )
    await input.until(4)
    const seen = input.got.map(({ appname, procid, hostname, message }) => [appname, procid, hostname, message])
    expect(seen.sort()).toEqual(
      [
        ["shop", "7", "web1", "Exception: no\n\tat a.B.c(B.java:1)\nCaused by: gone"],
        ["mail", "7", "web1", "sent"],
        ["mail", "7", "web1", "sent again"],
        ["cron", "9", "web1", "Trace\n  one\n  two"]
      ].sort()
    )
    expect(input.failed).toEqual([])
    input.stop()
  })

  it("do not mix two senders, and a text that continues nothing fails", async () => {
    const input = await listen({ multiline: { continuation: "^\\s", flush_after: 3600 } })
    await Promise.all([
      input.send(from("shop", "one"), from("shop", " more")),
      input.send(from("shop", "two"), "no header\n", " lonely\n")
    ])
    await input.send("  nothing before\n")
    await input.until(4)
    expect(input.got.map(({ message }) => message).sort()).toEqual(["one\n more", "two\n lonely"])
    expect(input.failed.map(({ message }) => message)).toEqual(["no header", "  nothing before"])
    input.stop()
  })

  it("are complete when nothing more comes, and bounded", async () => {
    const input = await listen({ multiline: { continuation: "^\\s", flush_after: 0.1, max_lines: 2 } })
    const gate = Promise.withResolvers<void>()
    const open = input.connect(
      (async function* () {
        yield Buffer.from(from("a", "x") + from("a", " 1") + from("a", " 2"))
        await gate.promise
      })()
    )
    await input.until(2)
    expect(input.got.map(({ message, tags }) => [message, tags])).toEqual([
      ["x\n 1", ["_multilinelimit"]],
      [" 2", undefined]
    ])
    gate.resolve()
    await open
    // More programs than are kept at a time.
    await input.send(Array.from({ length: 1500 }, (_, at) => from(`p${at}`, "x")).join(""))
    await input.until(1502)
    expect(new Set(input.got.map(({ appname }) => appname)).size).toBe(1501)
    input.stop()
  })

  it("are complete in time when the clock is turned back", async () => {
    const input = await listen({ multiline: { continuation: "^\\s", flush_after: 0.1 } })
    const gate = Promise.withResolvers<void>()
    const now = Date.now
    const open = input.connect(
      (async function* () {
        yield Buffer.from(from("a", "x"))
        Date.now = () => now() - 3_600_000
        await gate.promise
      })()
    )
    try {
      await input.until(1)
    } finally {
      Date.now = now
    }
    gate.resolve()
    await open
    expect(input.got.map(({ message }) => message)).toEqual(["x"])
    input.stop()
  })

  it("have the encoding of the settings", async () => {
    const input = await listen({ encoding: "windows-1252" })
    await input.send(Buffer.concat([Buffer.from("<11>Oct 11 22:14:15 web1 a: "), Buffer.from([0x80, 0xe9, 0x0a])]))
    await input.until(1)
    expect(input.got.map(({ message }) => message)).toEqual(["€é"])
    input.stop()
  })
})
