import { existsSync, readFileSync } from "node:fs"
import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { eventually } from "../support/process.ts"
import { running } from "./running.ts"
import { ended, flowline, node, places, settings, spec } from "./support.ts"

const wait = (what: string, condition: () => boolean) => Effect.promise(() => eventually(what, condition))

it.live("a run waits for the process that appends to its file, and goes on when that is killed", () =>
  Effect.gen(function* () {
    const { root, conf, data } = yield* places
    const path = join(data, "all.log")
    const lines = () => (existsSync(path) ? readFileSync(path, "utf8").split("\n").slice(0, -1) : [])
    const output = (from: string) => node("file_output", { path: "all.log", append: true }, from)
    const ticks = node("generator_input", { messages: [{ message: "tick" }], rate: 1000 })
    const first = yield* running(settings(root), spec(flowline([ticks, output("generator_input")])))
    yield* wait("lines of the first run", () => lines().length > 10)

    yield* Effect.promise(() => writeFile(join(conf, "samples", "in.log"), "one\ntwo\n"))
    const input = node("file_input", { path: "samples/in.log" })
    const print = { ...node("show", {}, "file_input"), component: "show" }
    const second = yield* running(settings(root), spec(flowline([input, print, output("file_input")])))
    // Its records have reached the outputs.
    yield* wait("lines of the second run", () => second.messages.some(({ _tag }) => _tag === "Output"))
    const before = lines().length
    yield* wait("more lines of the first run", () => lines().length > before)
    process.kill(first.pid(), "SIGKILL")
    yield* second.over
    assert.strictEqual(ended(second.messages).outcome, "succeeded")
    const ends = lines()
    assert.deepStrictEqual(ends.slice(-2), ["one", "two"])
    assert.deepStrictEqual(new Set(ends.slice(0, -2)), new Set(["tick"]))
    yield* first.over
  })
)
