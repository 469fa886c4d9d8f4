import { spawn } from "node:child_process"
import { once } from "node:events"
import { closeSync, openSync, rmSync, writeSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import { signalGroup } from "../../src/layers/engine/ProcessGroup.ts"

const program = fileURLToPath(new URL("./watched.ts", import.meta.url))

/** A run that receives only this, and the file of its gateway's heartbeats. */
const told = (text: string, signs: number | "ignore" = "ignore") => {
  const child = spawn(process.execPath, [program], { detached: true, stdio: ["pipe", "pipe", "pipe", "ignore", signs] })
  child.stdin?.write(text)
  const ordered = once(child.stdout!, "data").then(([data]) => String(data))
  return { child, ordered, exit: once(child, "exit") }
}

/** A file to which the time is written again and again. */
const signing = () => {
  const path = join(tmpdir(), `flow-signs-${crypto.randomUUID()}`)
  const file = openSync(path, "wx+")
  rmSync(path)
  const timer = setInterval(() => writeSync(file, BigInt64Array.of(process.hrtime.bigint()), 0, 8, 0), 250)
  const end = () => {
    clearInterval(timer)
    closeSync(file)
  }
  return { file, end }
}

describe("a run whose gateway says nothing after the order", () => {
  it("ends when the gateway gives signs of life, and lasts where it gives none", async () => {
    const { file, end } = signing()
    const order = '{"some":"order"}\n'
    const [watched, lasting, living] = [told(`${order}\n`), told(order), told(`${order}\n`, file)]
    try {
      assert.deepStrictEqual(await Promise.all([watched.ordered, lasting.ordered, living.ordered]), [
        '{"some":"order"}\n',
        '{"some":"order"}\n',
        '{"some":"order"}\n'
      ])
      const [code, signal] = await watched.exit
      assert.deepStrictEqual([code, signal], [null, "SIGKILL"])
      assert.isNull(lasting.child.exitCode)
      assert.isNull(lasting.child.signalCode)
      // A later heartbeat has its lease too.
      lasting.child.stdin?.write("\n")
      assert.deepStrictEqual(await lasting.exit, [null, "SIGKILL"])
      assert.isNull(living.child.signalCode)
      end()
      assert.deepStrictEqual(await living.exit, [null, "SIGKILL"])
    } finally {
      for (const { child } of [watched, lasting, living]) signalGroup(child.pid ?? 0, "SIGKILL")
    }
  })
})
