import { Schema } from "effect"
import { describe, expect, it } from "vitest"
import { Flowline } from "../../src/protocol/Flowline.ts"
import { NodeFailure } from "../../src/run/stream/NodeFailure.ts"
import { pipeline } from "../../src/run/stream/Pipeline.ts"
import { Memory, run } from "./memory.ts"

const failureOf = async (promise: Promise<unknown>): Promise<NodeFailure> => {
  const failure = await promise.then(
    () => undefined,
    (cause: unknown) => cause
  )
  if (!(failure instanceof NodeFailure)) throw new Error("no NodeFailure")
  return failure
}

describe("pipeline", () => {
  it("reads a file, shows it, writes it and puts it into the archive", async () => {
    const memory = new Memory({ "a.log": "one\r\ntwo\n\nlast" })
    const counters = await run(
      {
        runtime: "stream",
        dag: [
          { type: "file_input", settings: { path: "a.log" }, publish: [{ stream: "lines" }] },
          { type: "show", subscribe: [{ component: "file_input", stream: "lines" }] },
          {
            type: "file_output",
            settings: { path: "o.csv" },
            subscribe: [{ component: "file_input", stream: "lines" }]
          },
          { type: "archive_output", component: "zip", subscribe: [{ component: "file_input", stream: "lines" }] }
        ]
      },
      memory
    )
    const lines = ["one", "two", "", "last"].map((message) => JSON.stringify({ message }))
    expect(memory.printed).toEqual(lines)
    expect(memory.entries.get("zip.ndjson")).toBe(lines.map((line) => `${line}\n`).join(""))
    expect(memory.written.get("o.csv")).toBe('message\r\none\r\ntwo\r\n""\r\nlast\r\n')
    expect(counters).toEqual([
      { component: "file_input", recordsIn: 0, recordsOut: 4, errors: 0, files: 1 },
      { component: "show", recordsIn: 4, recordsOut: 0, errors: 0 },
      { component: "file_output", recordsIn: 4, recordsOut: 0, errors: 0 },
      { component: "zip", recordsIn: 4, recordsOut: 0, errors: 0 }
    ])
  })

  it("sends failed records to the errors stream, or counts them with a reason", async () => {
    const text = '{"a":1}\nno\n[1]\n\n{"n":12345678901234567890}\n'
    const input = { type: "file_input", settings: { path: "a.ndjson" } }
    const published = new Memory({ "a.ndjson": text })
    const counters = await run(
      {
        runtime: "stream",
        dag: [
          { ...input, publish: [{ stream: "rows" }, { stream: "errors" }] },
          { type: "show", subscribe: [{ component: "file_input", stream: "rows" }] },
          {
            type: "archive_output",
            settings: { entry: "bad.ndjson" },
            subscribe: [{ component: "file_input", stream: "errors" }]
          }
        ]
      },
      published
    )
    expect(published.printed).toEqual(['{"a":1}', '{"n":"12345678901234567890"}'])
    expect(published.entries.get("bad.ndjson")).toBe(
      '{"message":"no","error":{"node":"file_input","reason":"the line is not JSON"}}\n' +
        '{"message":"[1]","error":{"node":"file_input","reason":"the line is JSON, but not an object"}}\n'
    )
    expect(published.rejected).toEqual([])
    expect(counters[0]).toMatchObject({ recordsOut: 2, errors: 2, lastError: "the line is not JSON" })

    const counted = new Memory({ "a.ndjson": text })
    await run(
      {
        runtime: "stream",
        dag: [
          { ...input, publish: [{ stream: "rows" }] },
          { type: "show", subscribe: [{ component: "file_input", stream: "rows" }] }
        ]
      },
      counted
    )
    expect(counted.rejected).toEqual([{ component: "file_input", count: 2, reason: "the line is not JSON" }])
  })

  it("rejects a record that is nested too deeply to be written", async () => {
    const deep = (levels: number) => `{"a":${"[".repeat(levels - 1)}${"]".repeat(levels - 1)}}`
    const memory = new Memory({ "a.ndjson": `${deep(200)}\n${deep(201)}\n${deep(100_000)}\n` })
    await run(
      {
        runtime: "stream",
        dag: [
          { type: "file_input", settings: { path: "a.ndjson" }, publish: [{ stream: "s" }] },
          { type: "show", subscribe: [{ component: "file_input", stream: "s" }] }
        ]
      },
      memory
    )
    expect(memory.printed).toEqual([deep(200)])
    const reason = "the record is nested deeper than 200 levels"
    expect(memory.rejected).toEqual([{ component: "file_input", count: 2, reason }])
  })

  it("reads no further than a slow output writes, and writes one batch at a time", async () => {
    const chunk = new TextEncoder().encode(`${"x".repeat(511)}\n`.repeat(512))
    const memory = new Memory()
    let read = 0
    let written = 0
    let writing = 0
    let ahead = 0
    const context = memory.context
    const slow = (component: string) => ({
      ...context(component),
      glob: async () => ["a.log"],
      read: async function* () {
        for (let count = 0; count < 50; count++) {
          read++
          ahead = Math.max(ahead, read - written)
          yield chunk
        }
      },
      file: async () => ({
        write: async (piece: string | Uint8Array) => {
          expect(++writing).toBe(1)
          await new Promise((resolve) => setImmediate(resolve))
          writing--
          written += piece.length / chunk.length
        },
        close: async () => {}
      })
    })
    const inputs = ["one", "two"].map((component) => ({
      type: "file_input",
      component,
      settings: { path: "a.log" },
      publish: [{ stream: "s" }]
    }))
    const subscribe = inputs.map(({ component }) => ({ component, stream: "s" }))
    const { run: start } = pipeline(
      Schema.decodeUnknownSync(Flowline)({
        runtime: "stream",
        dag: [...inputs, { type: "file_output", settings: { path: "o.log" }, subscribe }]
      }),
      slow
    )
    await start()
    expect([read, written]).toEqual([100, 100])
    // Each of the two inputs waits with one chunk at the output, parts of which may be written, and has read at most
    // one more.
    expect(ahead).toBeLessThanOrEqual(4)
  })

  it("counts what waits at a slow node, and what went out on each stream", async () => {
    const memory = new Memory({ "a.log": "one\ntwo\nthree\n" })
    const gate = Promise.withResolvers<void>()
    const reached = Promise.withResolvers<void>()
    const held = (component: string) => ({
      ...memory.context(component),
      file: async () => ({
        write: async () => {
          reached.resolve()
          await gate.promise
        },
        close: async () => {}
      })
    })
    const { run: start, counters } = pipeline(
      Schema.decodeUnknownSync(Flowline)({
        runtime: "stream",
        dag: [
          { type: "file_input", settings: { path: "a.log" }, publish: [{ stream: "s" }] },
          {
            type: "dispatch",
            settings: { routes: [{ stream: "first", where: 'message == "one"' }], default: "others" },
            subscribe: [{ component: "file_input", stream: "s" }],
            publish: [{ stream: "first" }, { stream: "others" }, { stream: "errors" }]
          },
          {
            type: "file_output",
            settings: { path: "o.log" },
            subscribe: [{ component: "dispatch", stream: "others" }]
          }
        ]
      }),
      held
    )
    const running = start()
    await reached.promise
    const [input, dispatch, output] = counters()
    expect(input).not.toHaveProperty("streams")
    expect(output).toMatchObject({ recordsIn: 2, waiting: 2 })
    // A node is not through with a batch before those behind it have taken it.
    expect(dispatch).toMatchObject({ waiting: 3 })
    gate.resolve()
    await running
    expect(counters().map(({ waiting }) => waiting)).toEqual([undefined, undefined, undefined])
    expect(counters()[1]).toMatchObject({ recordsOut: 3, streams: { first: 1, others: 2 } })
  })

  it("names the component that failed and stops the others", async () => {
    const memory = new Memory()
    const failure = await failureOf(
      run(
        {
          runtime: "stream",
          dag: [
            { type: "generator_input", settings: { messages: ["x"] }, publish: [{ stream: "s" }] },
            { type: "file_input", component: "access", settings: { path: "none.log" }, publish: [{ stream: "s" }] },
            { type: "show", subscribe: ["generator_input", "access"].map((component) => ({ component, stream: "s" })) }
          ]
        },
        memory
      )
    )
    expect(failure.component).toBe("access")
    expect(failure.message).toBe("access: none.log: no such file")
  })

  it("ends an endless input when it is cancelled", async () => {
    const memory = new Memory()
    const reason = new Error("cancelled")
    const running = run(
      {
        runtime: "stream",
        dag: [
          { type: "generator_input", settings: { messages: ["x"], rate: 5 }, publish: [{ stream: "s" }] },
          {
            type: "file_output",
            settings: { path: "x.log" },
            subscribe: [{ component: "generator_input", stream: "s" }]
          }
        ]
      },
      memory
    )
    setTimeout(() => memory.abort.abort(reason), 20)
    await expect(running).rejects.toBe(reason)
    expect(memory.written.size).toBe(0)
  })

  it("lets timers in while a generator runs at full speed", async () => {
    const memory = new Memory()
    let ticks = 0
    const timer = setInterval(() => {
      ticks++
      if (ticks === 3) memory.abort.abort(new Error("enough"))
    }, 5)
    const running = run(
      {
        runtime: "stream",
        dag: [
          { type: "generator_input", settings: { messages: ["x"], rate: 10_000_000 }, publish: [{ stream: "s" }] },
          { type: "show", settings: { limit: 1 }, subscribe: [{ component: "generator_input", stream: "s" }] }
        ]
      },
      memory
    )
    await expect(running).rejects.toThrow("enough")
    clearInterval(timer)
    expect(memory.printed[0]).toBe('{"message":"x"}')
  })
})
