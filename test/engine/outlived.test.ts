import { spawn } from "node:child_process"
import { once } from "node:events"
import { hostname } from "node:os"
import { assert, describe, it } from "@effect/vitest"
import { outlived } from "../../src/layers/engine/ProcessGroup.ts"
import { runGone } from "../../src/protocol/Liveness.ts"

const { signal } = new AbortController()

/** A run that leads a process group, and the wait for it. */
const started = () => {
  const run = spawn("sleep", ["60"], { detached: true, stdio: "ignore" })
  const gone = once(run, "exit")
  let isOver = false
  const waiting = outlived(`${hostname()}:${run.pid}`, signal).then(() => {
    isOver = true
  })
  return { run, gone, waiting, isOver: () => isOver }
}

const ended = async ({ run, gone, waiting }: ReturnType<typeof started>) => {
  run.kill("SIGKILL")
  await Promise.all([gone, waiting])
}

describe("a run that a killed gateway left behind", () => {
  it("is waited for until it is gone", async () => {
    const [first, second] = [started(), started()]
    await ended(first)
    // The second run was looked for as often as the first one, and is still there.
    assert.isFalse(second.isOver())
    await ended(second)
  })

  it("is not waited for when it ran elsewhere, is gone, or its number is that of another process", async () => {
    const began = performance.now()
    await outlived(`elsewhere.example:${process.pid}`, signal)
    await outlived(`${hostname()}:4194305`, signal)
    // A child of this process that does not lead a process group.
    const other = spawn("sleep", ["60"], { stdio: "ignore" })
    await outlived(`${hostname()}:${other.pid}`, signal)
    other.kill("SIGKILL")
    assert.isBelow(performance.now() - began, runGone - 1000)
  })
})
