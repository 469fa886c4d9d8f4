import { spawnSync } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { leaveWhenCold } from "../../src/protocol/RunProtocol.ts"

const module = JSON.stringify(new URL("../../src/run/CompileCache.ts", import.meta.url).href)

/** Runs a program that loads its modules between the two calls, with a separate cache. */
const loading = (meanwhile: string, ...options: ReadonlyArray<string>) => {
  const cache = mkdtempSync(join(tmpdir(), "flow-cache-"))
  try {
    const program = `
      import { rmSync } from "node:fs"
      import { compileCache } from ${module}
      const remove = () => rmSync(process.env.NODE_COMPILE_CACHE, { recursive: true })
      ${meanwhile}
      console.log("runs")`
    const args = ["--input-type=module", "--eval", program, "--", ...options]
    const { status, stdout, stderr } = spawnSync(process.execPath, args, {
      env: { NODE_COMPILE_CACHE: cache },
      encoding: "utf8"
    })
    return [status, stdout, stderr]
  } finally {
    rmSync(cache, { recursive: true, force: true })
  }
}

describe("a run whose compiled modules were removed by a cleaner of temporary folders", () => {
  it("goes on when that was before it loads its own", () => {
    expect(loading("remove(); compileCache()()")).toEqual([0, "runs\n", ""])
  })

  it("leaves as one that had to compile them when that was while it loads them, if it was told to", () => {
    expect(loading("const keep = compileCache(); remove(); keep()", leaveWhenCold)).toEqual([0, "", ""])
  })
})
