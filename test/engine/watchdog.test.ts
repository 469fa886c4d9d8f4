import { spawn } from "node:child_process"
import { once } from "node:events"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import { signalGroup } from "../../src/layers/engine/ProcessGroup.ts"

const program = fileURLToPath(new URL("./watched.ts", import.meta.url))

/** A run that is told this, and nothing more. */
const told = (text: string) => {
  const child = spawn(process.execPath, [program], { detached: true })
  child.stdin.write(text)
  const ordered = once(child.stdout, "data").then(([data]) => String(data))
  return { child, ordered, exit: once(child, "exit") }
}

describe("a run whose gateway says nothing after the order", () => {
  it("ends when the gateway gives signs of life, and lasts where it gives none", async () => {
    const [watched, lasting] = [told('{"some":"order"}\n\n'), told('{"some":"order"}\n')]
    try {
      assert.deepStrictEqual(await Promise.all([watched.ordered, lasting.ordered]), [
        '{"some":"order"}\n',
        '{"some":"order"}\n'
      ])
      const [code, signal] = await watched.exit
      assert.deepStrictEqual([code, signal], [null, "SIGKILL"])
      assert.isNull(lasting.child.exitCode)
      assert.isNull(lasting.child.signalCode)
      // A sign that comes later has its lease too.
      lasting.child.stdin.write("\n")
      assert.deepStrictEqual(await lasting.exit, [null, "SIGKILL"])
    } finally {
      for (const { child } of [watched, lasting]) signalGroup(child.pid ?? 0, "SIGKILL")
    }
  })
})
