import { appendFile, mkdir, readFile, rename, rm, truncate, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { running } from "./running.ts"
import { ended, filesIn, flowline, isAlive, node, places, settings, spec, ticks, until } from "./support.ts"

const following = (path: string, output = node("show", { limit: 1_000_000 }, "file_input")) =>
  spec(flowline([node("file_input", { path, follow: true }), output]))

const wait = (condition: () => boolean) => Effect.promise(() => until(condition, 15_000))
const act = (work: () => Promise<unknown>) => Effect.promise(work)

describe("a followed file", () => {
  it.live("is read as it grows, whole lines at a time, and soon", () =>
    Effect.gen(function* () {
      const { root, conf } = yield* places
      const log = join(conf, "samples", "a.log")
      yield* act(() => writeFile(log, "one\ntwo\nthr"))
      const run = yield* running(settings(root), following("samples/a.log"))
      yield* wait(() => run.lines().length === 2)
      const began = performance.now()
      yield* act(() => appendFile(log, "ee\r\nfour\n"))
      yield* wait(() => run.lines().length === 4)
      const took = performance.now() - began
      assert.deepStrictEqual(run.lines(), ["one", "two", "three", "four"])
      assert.isBelow(took, 5000)
      yield* act(() => appendFile(log, "é".repeat(30_000)))
      yield* act(() => appendFile(log, "\nlast\n"))
      yield* wait(() => run.lines().includes("last"))
      assert.strictEqual(String(run.lines()[4]).slice(0, 3), "ééé")
      yield* run.stop
      assert.isFalse(isAlive(run.pid()))
    })
  )

  it.live("may come later, be renamed, emptied and replaced", () =>
    Effect.gen(function* () {
      const { root, conf } = yield* places
      const log = join(conf, "logs", "a.log")
      const run = yield* running(settings(root), following("logs/a.log"))
      yield* act(() => mkdir(join(conf, "logs")))
      yield* act(() => writeFile(log, "1\n2\n"))
      yield* wait(() => run.lines().length === 2)
      // Rotation: the writer goes on in the renamed file for a while.
      yield* act(() => rename(log, `${log}.1`))
      yield* act(() => appendFile(`${log}.1`, "3\n"))
      yield* act(() => writeFile(log, "4\n"))
      yield* act(() => appendFile(`${log}.1`, "5\n"))
      yield* wait(() => run.lines().length === 5)
      assert.deepStrictEqual([...run.lines()].sort(), ["1", "2", "3", "4", "5"])
      // Copied and emptied, then filled with less and with more than before.
      yield* act(() => truncate(log))
      yield* act(() => appendFile(log, "6\n"))
      yield* wait(() => run.lines().length === 6)
      yield* act(() => writeFile(log, "a longer beginning\n7\n"))
      yield* wait(() => run.lines().includes("7"))
      assert.deepStrictEqual(run.lines().slice(-3), ["6", "a longer beginning", "7"])
      yield* run.stop
    })
  )

  it.live("is one of those that the glob names, also those that come later", () =>
    Effect.gen(function* () {
      const { root, conf } = yield* places
      yield* act(() => writeFile(join(conf, "samples", "a.log"), "a1\n"))
      const run = yield* running(settings(root), following("samples/*.log"))
      yield* wait(() => run.lines().length === 1)
      yield* act(() => writeFile(join(conf, "samples", "b.log"), "b1\n"))
      yield* wait(() => run.lines().length === 2)
      // Moved under another name of the glob: the same file.
      yield* act(() => rename(join(conf, "samples", "a.log"), join(conf, "samples", "c.log")))
      yield* act(() => appendFile(join(conf, "samples", "c.log"), "a2\n"))
      yield* wait(() => run.lines().length === 3)
      assert.deepStrictEqual([...run.lines()].sort(), ["a1", "a2", "b1"])
      yield* run.stop
    })
  )

  it.live("is read on where it was left, without a loss when the run is killed and the file rotated meanwhile", () =>
    Effect.gen(function* () {
      const { root, conf, data } = yield* places
      const log = join(conf, "samples", "a.log")
      const out = join(data, "out", "a.log")
      const first = following("samples/a.log", node("file_output", { path: "out/a.log", append: true }, "file_input"))
      let written = 0
      let text = ""
      const more = async (count: number) => {
        const lines = Array.from({ length: count }, () => `line ${++written}\n`).join("")
        text += lines
        await appendFile(log, lines)
      }
      yield* act(() => more(1000))
      let positions: Record<string, unknown> = {}
      for (let turn = 0; turn < 3; turn++) {
        const run = yield* running(settings(root), { ...first, epoch: turn + 1, positions })
        yield* act(() => more(500))
        yield* wait(() => run.messages.some((message) => message._tag === "Positions"))
        yield* act(() => more(500))
        if (turn % 2 === 1) {
          yield* act(() => rename(log, `${log}.${turn}`))
          yield* act(() => more(300))
        }
        process.kill(run.pid(), "SIGKILL")
        yield* run.over
        assert.strictEqual(ended(run.messages).outcome, "failed")
        positions = { ...positions, ...run.positions() }
        yield* act(() => more(200))
        // Renamed while nobody looks.
        if (turn === 0) yield* act(() => rename(log, `${log}.old`))
        if (turn === 0) yield* act(() => more(100))
      }
      const run = yield* running(settings(root), { ...first, epoch: 9, positions })
      const wanted = new Set(text.trimEnd().split("\n"))
      const got = () => new Set(filesIn(data).length === 0 ? [] : content.trimEnd().split("\n"))
      let content = ""
      const end = Date.now() + 15_000
      while (got().size < wanted.size && Date.now() < end) {
        content = yield* Effect.promise(() => readFile(out, "utf8"))
        yield* Effect.sleep(50)
      }
      assert.deepStrictEqual(
        [...wanted].filter((line) => !got().has(line)),
        []
      )
      assert.deepStrictEqual(
        [...got()].filter((line) => !wanted.has(line)),
        []
      )
      const duplicates = content.trimEnd().split("\n").length - wanted.size
      assert.isBelow(duplicates, 3 * 1800)
      yield* run.stop
      yield* act(() => rm(out))
    })
  )

  it.live("that stays as it is costs nothing", () =>
    Effect.gen(function* () {
      const { root, conf } = yield* places
      yield* act(() => writeFile(join(conf, "samples", "a.log"), "one\n"))
      const run = yield* running(settings(root), following("samples/a.log"))
      yield* wait(() => run.lines().length === 1)
      yield* Effect.sleep(1000)
      const before = ticks(run.pid())
      yield* Effect.sleep(2000)
      // Ticks of 10 ms: under 5 % of the time on any machine.
      assert.isBelow(ticks(run.pid()) - before, 10)
      yield* run.stop
    })
  )
})
