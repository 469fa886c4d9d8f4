import { spawnSync } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, expect, it } from "vitest"

const module = JSON.stringify(new URL("../../src/run/CompileCache.ts", import.meta.url).href)

/** Runs a program that loads its modules between the two calls, with a cache of its own. */
const loading = (meanwhile: string): string => {
  const cache = mkdtempSync(join(tmpdir(), "flow-cache-"))
  try {
    const program = `
      import { rmSync } from "node:fs"
      import { compileCache } from ${module}
      const remove = () => rmSync(process.env.NODE_COMPILE_CACHE, { recursive: true })
      ${meanwhile}
      console.log("runs")`
    const { stdout, stderr } = spawnSync(process.execPath, ["--input-type=module", "--eval", program], {
      env: { NODE_COMPILE_CACHE: cache },
      encoding: "utf8"
    })
    return `${stdout}${stderr}`
  } finally {
    rmSync(cache, { recursive: true, force: true })
  }
}

describe("a run whose compiled modules were removed by a cleaner of temporary folders", () => {
  it("goes on when that was before it loads its own", () => {
    expect(loading("remove(); compileCache()()")).toBe("runs\n")
  })

  it("goes on when that was while it loads them", () => {
    expect(loading("const keep = compileCache(); remove(); keep()")).toBe("runs\n")
  })
})
