import { existsSync } from "node:fs"
import { mkdir, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Stream } from "effect"
import type { RunMessage } from "../../src/protocol/RunProtocol.ts"
import { Engine } from "../../src/services/runs/Engine.ts"
import { held } from "../support/heap.ts"
import { eventually } from "../support/process.ts"
import {
  act,
  ended,
  engine,
  filesIn,
  flowline,
  follow,
  isAlive,
  node,
  places,
  printed,
  settings,
  spec,
  tenant
} from "./support.ts"

const failure = (messages: ReadonlyArray<RunMessage>) => {
  const { outcome, error } = ended(messages)
  assert.strictEqual(outcome, "failed")
  return error
}

describe("limits of a run", () => {
  it.live("memory: runs that eat heap or buffers end, and another run does not notice", () =>
    Effect.gen(function* () {
      const { root } = yield* places
      const [heap, buffers, other] = yield* Effect.all(
        [
          follow(act("test_eat_heap", {}, { memory_mib: 64 })),
          follow(act("test_eat_buffers", {}, { memory_mib: 64 })),
          follow(act("test_print", { lines: 5000, repeat: 10 }))
        ],
        { concurrency: 3 }
      ).pipe(Effect.provide(engine(settings(root, { memoryAllowanceMib: 160 }))))
      assert.strictEqual(failure(heap), "The run was stopped at its memory limit of 64 MiB")
      assert.strictEqual(failure(buffers), "The run was stopped at its memory limit of 64 MiB")
      assert.strictEqual(ended(other).outcome, "succeeded")
      assert.strictEqual(printed(other).length, 5000)
    })
  )

  it.live("memory: the smallest limit is enough for a small run", () =>
    Effect.gen(function* () {
      const { root } = yield* places
      const input = node("generator_input", { messages: ["x"], count: 2000, rate: 1_000_000 })
      const run = spec(flowline([input, node("show", { limit: 2000 }, "generator_input")], { memory_mib: 64 }))
      const messages = yield* follow(run).pipe(Effect.provide(engine(settings(root))))
      assert.strictEqual(ended(messages).error, undefined)
      assert.strictEqual(printed(messages).length, 2000)
    })
  )

  it.live("time: loops are stopped, what they say then is not the reason, and lasting runs only have their own", () =>
    Effect.gen(function* () {
      const { root } = yield* places
      const limited = engine(settings(root, { timeoutSeconds: 1, graceMillis: 200 }))
      const [words, lasting, other, own] = yield* Effect.all(
        [
          follow(act("test_last_words")),
          follow({ ...act("test_print", { lines: 1, pause: 1500 }), lasting: true }),
          follow(act("test_print", { lines: 1, pause: 300_000 })),
          follow({ ...act("test_busy", {}, { timeout_seconds: 1 }), lasting: true })
        ],
        { concurrency: 4 }
      ).pipe(Effect.provide(limited))
      assert.strictEqual(failure(words), "The run was stopped at its time limit of 1 seconds")
      assert.strictEqual(ended(lasting).outcome, "succeeded")
      assert.strictEqual(failure(other), "The run was stopped at its time limit of 1 seconds")
      assert.strictEqual(failure(own), "The run was stopped at its time limit of 1 seconds")
    })
  )

  it.live("output: lines over the limit are dropped, and the run goes on", () =>
    Effect.gen(function* () {
      const { root } = yield* places
      const messages = yield* follow(act("test_print", { lines: 3000 })).pipe(
        Effect.provide(engine(settings(root, { outputLines: 1000 })))
      )
      assert.strictEqual(ended(messages).outcome, "succeeded")
      assert.strictEqual(printed(messages).length, 1000)
      assert.strictEqual(messages.filter((message) => message._tag === "Truncated").length, 1)
      const counters = messages.findLast((message) => message._tag === "Counters")
      assert.strictEqual(counters?.nodes[0]?.recordsOut, 3000)
    })
  )

  it.live("output: a lasting run may print so much in a second, and says what it left out", () =>
    Effect.gen(function* () {
      const { root } = yield* places
      const count = 5000
      const run = { ...act("test_print", { lines: count }), lasting: true }
      const messages = yield* follow(run).pipe(Effect.provide(engine(settings(root, { outputLines: 300 }))))
      assert.strictEqual(ended(messages).outcome, "succeeded")
      assert.isFalse(messages.some(({ _tag }) => _tag === "Truncated"))
      // However many seconds the machine took, printed and omitted lines add up to all.
      const lines = printed(messages)
      const notes = lines.flatMap((line) => /^\((\d+) lines were dropped\)$/.exec(line)?.[1] ?? [])
      const leftOut = notes.reduce((sum, note) => sum + Number(note), 0)
      assert.isAbove(leftOut, 0)
      assert.strictEqual(lines.length - notes.length + leftOut, count)
      assert.isAtLeast(lines.length - notes.length, 300)
    })
  )

  it.live("output: a line is cut at 64 KiB and bytes are bounded too", () =>
    Effect.gen(function* () {
      const { root } = yield* places
      const messages = yield* follow(act("test_print", { lines: 20, repeat: 300_000 })).pipe(
        Effect.provide(engine(settings(root, { outputBytes: 1024 * 1024 })))
      )
      assert.deepStrictEqual(
        printed(messages).map((line) => line.length),
        Array.from({ length: 16 }, () => 64 * 1024)
      )
      assert.isTrue(messages.some((message) => message._tag === "Truncated"))
    })
  )

  it.live("a consumer that stands still holds the run back, and no line is lost", () =>
    Effect.gen(function* () {
      const { root } = yield* places
      const given = settings(root, { outputLines: Number.MAX_SAFE_INTEGER, outputBytes: Number.MAX_SAFE_INTEGER })
      yield* Effect.gen(function* () {
        const { run } = yield* Engine
        const count = 12_000
        let [pid, wanted, wasHeld] = [0, 0, false]
        const check = (message: RunMessage) =>
          Effect.gen(function* () {
            if (message._tag === "Started") pid = message.pid
            if (message._tag !== "Output") return
            if (wanted === 0) {
              // 12 MiB are printed in a moment if nothing slows down the printer, which then ends.
              yield* Effect.promise(() =>
                Promise.race([sleep(1500), eventually("the process is gone", () => !isAlive(pid))])
              )
              wasHeld = isAlive(pid)
            }
            for (const line of message.lines) assert.isTrue(line.text.startsWith(`${wanted++} `))
          })
        yield* Stream.runForEach(run(act("test_print", { lines: count, repeat: 1000 })), check)
        assert.deepStrictEqual([wanted, wasHeld], [count, true])
      }).pipe(Effect.provide(engine(given)))
    })
  )

  it.live("a consumer that is late finds everything that a finished run has said", () =>
    Effect.gen(function* () {
      const { root } = yield* places
      yield* Effect.gen(function* () {
        const { run } = yield* Engine
        const messages: Array<RunMessage> = []
        yield* Stream.runForEach(run(act("test_print", { lines: 300, pause: 200 })), (message) => {
          messages.push(message)
          if (message._tag !== "Started") return Effect.void
          // Reaped, not only dead: by then Node has notified its parent.
          return Effect.promise(() => eventually("the process is gone", () => !existsSync(`/proc/${message.pid}`)))
        })
        assert.strictEqual(ended(messages).outcome, "succeeded")
        assert.strictEqual(printed(messages).length, 300)
      }).pipe(Effect.provide(engine(settings(root))))
    })
  )

  it.live("size: files and archives over it fail the run and leave nothing", () =>
    Effect.gen(function* () {
      const { root } = yield* places
      const both = Effect.all([follow(act("test_file", { chunks: 8 })), follow(act("test_entries", { chunks: 8 }))])
      const [file, archive] = yield* both.pipe(Effect.provide(engine(settings(root, { fileBytes: 1_500_000 }))))
      assert.strictEqual(failure(file), 'The file "half.bin" exceeds the size limit of a run (1500000 bytes)')
      assert.strictEqual(failure(archive), "The archive exceeds the size limit of a run (1500000 bytes)")
      assert.deepStrictEqual(
        ["data", "blobs", "temp/runs"].flatMap((folder) => filesIn(join(root, folder))),
        []
      )
    })
  )

  it.live("storage: an archive that cannot be stored fails the run", () =>
    Effect.gen(function* () {
      const { root, blobs } = yield* places
      yield* Effect.promise(() => mkdir(join(blobs, tenant), { recursive: true }))
      yield* Effect.promise(() => writeFile(join(blobs, tenant, "tmp"), "a file where the folder should be"))
      const messages = yield* follow(act("test_entries", { chunks: 4 })).pipe(Effect.provide(engine(settings(root))))
      assert.match(
        failure(messages) ?? "",
        /^The archive could not be stored: the data storage is full, read-only or does not/
      )
      assert.isFalse(messages.some((message) => message._tag === "Archived"))
    })
  )

  it.live("standard output: what a library prints there goes nowhere", () =>
    Effect.gen(function* () {
      const { root } = yield* places
      yield* Effect.gen(function* () {
        const { run } = yield* Engine
        const before = held()
        const lines: Array<string> = []
        let grown = Number.NaN
        yield* Stream.runForEach(run(act("test_stdout", { mib: 64 })), (message) =>
          Effect.sync(() => {
            if (message._tag !== "Output") return
            lines.push(...message.lines.map(({ text }) => text))
            grown = held() - before
          })
        )
        assert.deepStrictEqual(lines, ["all of it"])
        assert.isBelow(grown, 32 * 1024 * 1024)
      }).pipe(Effect.provide(engine(settings(root))))
    })
  )

  for (const [type, error] of [
    ["test_exit", "The process of the run ended unexpectedly (code 7)"],
    ["test_throw_later", "thrown at test/engine/entry.ts"],
    ["test_reject_unheard", "nobody heard"],
    ["test_unknown", "test_unknown: unknown node type test_unknown"],
    ["test_garbage", "The run sent an invalid message"]
  ] as const) {
    it.live(`${type} is one end, without a path of this machine`, () =>
      Effect.gen(function* () {
        const { root } = yield* places
        const messages = yield* follow(act(type)).pipe(Effect.provide(engine(settings(root))))
        assert.strictEqual(failure(messages), error)
      })
    )
  }
})
