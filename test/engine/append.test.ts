import { existsSync, mkdtempSync, readFileSync, renameSync, rmSync } from "node:fs"
import { writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, assert, beforeEach, describe, expect, it, vi } from "@effect/vitest"
import { Effect } from "effect"
import { dataArea } from "../../src/drivers/files/Area.ts"
import { Allowance, DataFiles } from "../../src/run/files/DataFiles.ts"
import { TenantBudget } from "../../src/run/TenantBudget.ts"
import { eventually } from "../support/process.ts"
import { running } from "./running.ts"
import { ended, flowline, node, places, settings, spec } from "./support.ts"

const wait = (what: string, condition: () => boolean) => Effect.promise(() => eventually(what, condition))

describe("a file that a run appends to", () => {
  let folder: string
  let ahead: number
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "flow-append-"))
    ahead = 0
    const now = performance.now.bind(performance)
    vi.spyOn(performance, "now").mockImplementation(() => now() + ahead)
  })
  afterEach(() => {
    vi.restoreAllMocks()
    rmSync(folder, { recursive: true })
  })
  const appended = async () => {
    const files = new DataFiles(
      dataArea(join(folder, "data")),
      join(folder, "unfinished"),
      new Allowance(1000),
      new TenantBudget("acme")
    )
    const sink = await files.append("out/a.log", new AbortController().signal)
    return { sink, placed: async () => (await files.places())["out/a.log"]?.bytes }
  }
  const at = (name: string) => join(folder, "data", "out", name)
  const text = (name: string) => readFileSync(at(name), "utf8")

  it("goes on in a new one when it was moved or removed", async () => {
    const { sink, placed } = await appended()
    await sink.write("1\n")
    await sink.flush?.()
    renameSync(at("a.log"), at("a.log.1"))
    await sink.write("2\n")
    await sink.flush?.()
    await sink.write("3\n")
    await sink.flush?.()
    expect([text("a.log.1"), text("a.log"), await placed()]).toEqual(["1\n2\n", "3\n", 2])
    await sink.write("4\n")
    rmSync(join(folder, "data", "out"), { recursive: true })
    await sink.write("5\n")
    await sink.flush?.()
    // What was flushed has been removed with the file; what came later is kept, as it was promised to be.
    expect([text("a.log"), await placed()]).toEqual(["4\n5\n", 4])
    rmSync(at("a.log"))
    await sink.write("6\n")
    await sink.close()
    expect(text("a.log")).toBe("6\n")
  })

  it("does so, too, in a run that saves no position", async () => {
    const { sink } = await appended()
    await sink.write("1\n")
    rmSync(at("a.log"))
    ahead += 60_000
    await sink.write("2\n")
    await sink.write("3\n")
    await sink.close()
    expect(text("a.log")).toBe("1\n2\n3\n")
  })
})

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
