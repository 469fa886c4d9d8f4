import { appendFile, mkdir, readFile, rename, rm, truncate, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { eventually } from "../support/process.ts"
import { running } from "./running.ts"
import { ended, filesIn, flowline, isAlive, node, places, settings, spec, ticks } from "./support.ts"

const following = (path: string, output = node("show", { limit: 1_000_000 }, "file_input")) =>
  spec(flowline([node("file_input", { path, follow: true }), output]))

const wait = (condition: () => boolean) => Effect.promise(() => eventually("what the test waits for", condition))
const act = (work: () => Promise<unknown>) => Effect.promise(work)

/** Whether the process has used less than 5 % of a processor for a second. */
const isIdle = (pid: number) => {
  let [used, since] = [ticks(pid), performance.now()]
  return () => {
    const now = ticks(pid)
    if (now - used >= 5) [used, since] = [now, performance.now()]
    return performance.now() - since > 1000
  }
}

describe("a followed file", () => {
  it.live("is read as it grows, whole lines at a time, and costs nothing while it stays as it is", () =>
    Effect.gen(function* () {
      const { root, conf } = yield* places
      const log = join(conf, "samples", "a.log")
      yield* act(() => writeFile(log, "one\ntwo\nthr"))
      const run = yield* running(settings(root), following("samples/a.log"))
      yield* wait(() => run.lines().length === 2)
      yield* act(() => appendFile(log, "ee\r\nfour\n"))
      yield* wait(() => run.lines().length === 4)
      assert.deepStrictEqual(run.lines(), ["one", "two", "three", "four"])
      yield* act(() => appendFile(log, "é".repeat(30_000)))
      yield* act(() => appendFile(log, "\nlast\n"))
      yield* wait(() => run.lines().includes("last"))
      assert.strictEqual(String(run.lines()[4]).slice(0, 3), "ééé")
      // Nothing changes any more: a second without work passes eventually, but never with a busy wait.
      yield* wait(isIdle(run.pid()))
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
      // Rotation: the writer continues in the renamed file for a while.
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
      yield* act(() => more(300))
      let positions: Record<string, unknown> = {}
      for (let turn = 0; turn < 2; turn++) {
        const run = yield* running(settings(root), { ...first, epoch: turn + 1, positions })
        yield* act(() => more(200))
        yield* wait(() => run.messages.some((message) => message._tag === "Positions"))
        yield* act(() => more(200))
        if (turn === 1) {
          yield* act(() => rename(log, `${log}.${turn}`))
          yield* act(() => more(100))
        }
        process.kill(run.pid(), "SIGKILL")
        yield* run.over
        assert.strictEqual(ended(run.messages).outcome, "failed")
        positions = { ...positions, ...run.positions() }
        yield* act(() => more(100))
        // Renamed while nobody looks.
        if (turn === 0) yield* act(() => rename(log, `${log}.old`))
        if (turn === 0) yield* act(() => more(100))
      }
      const run = yield* running(settings(root), { ...first, epoch: 9, positions })
      const wanted = new Set(text.trimEnd().split("\n"))
      let got: ReadonlyArray<string> = []
      yield* act(() =>
        eventually("all lines", async () => {
          const content = filesIn(data).length === 0 ? "" : await readFile(out, "utf8")
          got = content.trimEnd().split("\n")
          return new Set(got).size >= wanted.size
        })
      )
      // Each attempt may repeat the last output.
      assert.deepStrictEqual([...new Set(got)].sort(), [...wanted].sort())
      assert.isBelow(got.length - wanted.size, 2 * 600)
      yield* run.stop
      yield* act(() => rm(out))
    })
  )
})
