import { existsSync } from "node:fs"
import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Stream } from "effect"
import type { RunMessage } from "../../src/protocol/Message.ts"
import { Engine } from "../../src/services/runs/Engine.ts"
import { act, ended, engine, filesIn, follow, places, printed, settings, until } from "./support.ts"

const failure = (messages: ReadonlyArray<RunMessage>) => {
  const { outcome, error } = ended(messages)
  assert.strictEqual(outcome, "failed")
  return error
}

describe("limits of a run", () => {
  for (const eater of ["test_eat_heap", "test_eat_buffers"]) {
    it.live(`memory: ${eater} ends, and another run does not notice`, () =>
      Effect.gen(function* () {
        const { root } = yield* places
        const both = Effect.all(
          [follow(act(eater, {}, { memory_mib: 128 })), follow(act("test_print", { lines: 5000, repeat: 10 }))],
          { concurrency: 2 }
        )
        const [eaten, other] = yield* both.pipe(Effect.provide(engine(settings(root, { memoryAllowanceMib: 160 }))))
        assert.strictEqual(failure(eaten), "The run was stopped at its memory limit of 128 MiB")
        assert.strictEqual(ended(other).outcome, "succeeded")
        assert.strictEqual(printed(other).length, 5000)
      })
    )
  }

  it.live("memory: the smallest limit is enough for a small run", () =>
    Effect.gen(function* () {
      const { root } = yield* places
      const messages = yield* follow(act("test_print", { lines: 20_000 }, { memory_mib: 64 })).pipe(
        Effect.provide(engine(settings(root)))
      )
      assert.strictEqual(ended(messages).outcome, "succeeded")
    })
  )

  it.live("time: a loop that never yields is stopped", () =>
    Effect.gen(function* () {
      const { root } = yield* places
      const messages = yield* follow(act("test_busy", {}, { timeout_seconds: 2 })).pipe(
        Effect.provide(engine(settings(root)))
      )
      assert.strictEqual(failure(messages), "The run was stopped at its time limit of 2 seconds")
      assert.deepStrictEqual(printed(messages), ["busy"])
    })
  )

  it.live("time: what a run says while it is stopped is not taken for the reason", () =>
    Effect.gen(function* () {
      const { root } = yield* places
      const messages = yield* follow(act("test_last_words", {}, { timeout_seconds: 1 })).pipe(
        Effect.provide(engine(settings(root)))
      )
      assert.strictEqual(failure(messages), "The run was stopped at its time limit of 1 seconds")
    })
  )

  it.live("time: a lasting run has only the limit that it sets itself", () =>
    Effect.gen(function* () {
      const { root } = yield* places
      const limited = engine(settings(root, { timeoutSeconds: 1 }))
      const [lasting, other, own] = yield* Effect.all(
        [
          follow({ ...act("test_print", { lines: 1, pause: 1500 }), lasting: true }),
          follow(act("test_print", { lines: 1, pause: 60_000 })),
          follow({ ...act("test_busy", {}, { timeout_seconds: 2 }), lasting: true })
        ],
        { concurrency: 3 }
      ).pipe(Effect.provide(limited))
      assert.strictEqual(ended(lasting).outcome, "succeeded")
      assert.strictEqual(failure(other), "The run was stopped at its time limit of 1 seconds")
      assert.strictEqual(failure(own), "The run was stopped at its time limit of 2 seconds")
    })
  )

  it.live("output: lines over the limit are dropped, and the run goes on", () =>
    Effect.gen(function* () {
      const { root } = yield* places
      const messages = yield* follow(act("test_print", { lines: 20_000 })).pipe(
        Effect.provide(engine(settings(root, { outputLines: 1000 })))
      )
      assert.strictEqual(ended(messages).outcome, "succeeded")
      assert.strictEqual(printed(messages).length, 1000)
      assert.strictEqual(messages.filter((message) => message._tag === "Truncated").length, 1)
      const counters = messages.findLast((message) => message._tag === "Counters")
      assert.strictEqual(counters?.nodes[0]?.recordsOut, 20_000)
    })
  )

  it.live("output: a lasting run may print so much in a second, and says what it left out", () =>
    Effect.gen(function* () {
      const { root } = yield* places
      const count = 20_000
      const run = { ...act("test_print", { lines: count }), lasting: true }
      const messages = yield* follow(run).pipe(Effect.provide(engine(settings(root, { outputLines: 300 }))))
      assert.strictEqual(ended(messages).outcome, "succeeded")
      assert.isFalse(messages.some(({ _tag }) => _tag === "Truncated"))
      // However many seconds the machine took: what was printed and what was left out is all there was.
      const lines = printed(messages)
      const notes = lines.flatMap((line) => /^\((\d+) lines were left out\)$/.exec(line)?.[1] ?? [])
      const leftOut = notes.reduce((sum, note) => sum + Number(note), 0)
      assert.isAbove(leftOut, 0)
      assert.strictEqual(lines.length - notes.length + leftOut, count)
      assert.isAtLeast(lines.length - notes.length, 300)
    })
  )

  it.live("output: a line is cut at 64 KiB and bytes are bounded too", () =>
    Effect.gen(function* () {
      const { root } = yield* places
      const messages = yield* follow(act("test_print", { lines: 100, repeat: 300_000 })).pipe(
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
        const before = process.memoryUsage().rss
        let wanted = 0
        const check = (message: RunMessage) =>
          Effect.gen(function* () {
            if (message._tag !== "Output") return
            // 400 MiB would fit into the pause if nothing held the printer.
            if (wanted === 0) yield* Effect.sleep("2 seconds")
            for (const line of message.lines) assert.isTrue(line.text.startsWith(`${wanted++} `))
          })
        const some = run(act("test_print", { repeat: 1000 })).pipe(
          Stream.takeWhile(() => wanted < 50_000),
          Stream.runForEach(check)
        )
        yield* some
        assert.isAtLeast(wanted, 50_000)
        assert.isBelow(process.memoryUsage().rss - before, 200 * 1024 * 1024)
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
          // Reaped, not only dead: by then Node has told its parent.
          return Effect.promise(() => until(() => !existsSync(`/proc/${message.pid}`)))
        })
        assert.strictEqual(ended(messages).outcome, "succeeded")
        assert.strictEqual(printed(messages).length, 300)
      }).pipe(Effect.provide(engine(settings(root))))
    })
  )

  it.live("size: files and archives over it fail the run and leave nothing", () =>
    Effect.gen(function* () {
      const { root } = yield* places
      const both = Effect.all([follow(act("test_file", { chunks: 50 })), follow(act("test_entries", { chunks: 50 }))])
      const [file, archive] = yield* both.pipe(Effect.provide(engine(settings(root, { fileBytes: 4_000_000 }))))
      assert.strictEqual(failure(file), 'The file "half.bin" is over the size limit of a run (4000000 bytes)')
      assert.strictEqual(failure(archive), "The archive is over the size limit of a run (4000000 bytes)")
      assert.deepStrictEqual(
        ["data", "blobs", "temp/runs"].flatMap((folder) => filesIn(join(root, folder))),
        []
      )
    })
  )

  it.live("storage: an archive that cannot be stored fails the run", () =>
    Effect.gen(function* () {
      const { root, blobs } = yield* places
      yield* Effect.promise(() => writeFile(blobs, "a file where the folder should be"))
      const messages = yield* follow(act("test_entries", { chunks: 50 })).pipe(Effect.provide(engine(settings(root))))
      assert.match(failure(messages) ?? "", /^The archive could not be stored: the data storage is full or does not/)
      assert.isFalse(messages.some((message) => message._tag === "Archived"))
    })
  )

  it.live("standard output: what a library prints there goes nowhere", () =>
    Effect.gen(function* () {
      const { root } = yield* places
      const before = process.memoryUsage().rss
      const messages = yield* follow(act("test_stdout", { mib: 300 })).pipe(Effect.provide(engine(settings(root))))
      assert.strictEqual(ended(messages).outcome, "succeeded")
      assert.deepStrictEqual(printed(messages), [])
      assert.isBelow(process.memoryUsage().rss - before, 100 * 1024 * 1024)
    })
  )

  for (const [type, error] of [
    ["test_exit", "The process of the run ended unexpectedly (code 7)"],
    ["test_throw_later", "thrown at test/engine/entry.ts"],
    ["test_reject_unheard", "nobody heard"],
    ["test_unknown", "test_unknown: unknown node type test_unknown"],
    ["test_garbage", "The run sent a message that is not readable"]
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
