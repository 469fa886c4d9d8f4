import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import { checkSettings } from "../../src/nodes/Checks.ts"
import { fileOutput } from "../../src/nodes/outputs/FileOutput.ts"
import type { Runtime } from "../../src/protocol/Flowline.ts"
import { Commits } from "../../src/run/stream/Commits.ts"

describe("file_output", () => {
  it("is refused with append where it would replace the file", () => {
    const faults = (runtime: Runtime) =>
      checkSettings(fileOutput, { path: "a.log", append: true }, { runtime }).map(({ path }) => path)
    expect(faults("analytics")).toEqual([["append"]])
    expect([faults("stream"), faults("pybatch")]).toEqual([[], []])
  })
})

describe("a commit", () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  it("is one cut: it waits for inputs that are ahead of their positions, and the others wait for it", async () => {
    const saved: Array<unknown> = []
    const written = Promise.withResolvers<void>()
    const commits = new Commits(
      (positions) => {
        saved.push(positions)
        return written.promise
      },
      (cause) => {
        throw cause
      }
    )
    const [a, b] = ["a", "b"].map((name) => commits.of(name, { load: () => undefined }))
    for (const position of [a, b]) position?.load()
    expect([commits.emitting("a"), commits.emitting("b"), commits.emitting("live")]).toEqual(Array(3).fill(undefined))
    a?.save(() => 1)
    await vi.advanceTimersByTimeAsync(500)
    const held = [commits.emitting("a")]
    // Has emitted before, and continues to its position.
    expect(commits.emitting("b")).toBeUndefined()
    await vi.advanceTimersByTimeAsync(0)
    expect(saved).toEqual([])
    b?.save(() => 2)
    await vi.advanceTimersByTimeAsync(0)
    expect(saved).toEqual([{ a: 1, b: 2 }])
    held.push(commits.emitting("b"))
    expect(commits.emitting("live")).toBeUndefined()
    let isFree = false
    const freed = Promise.all(held).then(() => {
      isFree = true
    })
    await vi.advanceTimersByTimeAsync(0)
    expect(isFree).toBe(false)
    written.resolve()
    await freed
    commits.stop()
  })
})
