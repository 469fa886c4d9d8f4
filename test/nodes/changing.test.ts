import { describe, expect, it } from "vitest"
import { ReloadedFiles } from "../../src/nodes/processing/lookup/ReloadedFiles.ts"
import { Memory } from "./memory.ts"

/** Data loaded from a file whose version and content the test sets. The file is checked at each use. */
const changing = async (read: { version: string | Error; content: string | Error; whileLoading?: () => void }) => {
  const memory = new Memory()
  const context = {
    ...memory.nodeContext("node"),
    versionOf: async () => {
      if (read.version instanceof Error) throw read.version
      return read.version
    }
  }
  let loads = 0
  const value = await ReloadedFiles.of(context, context, "t.csv", "0ms", async () => {
    loads++
    const { content } = read
    read.whileLoading?.()
    if (content instanceof Error) throw content
    return { value: content, entries: content.length }
  })
  /** Uses the value, and waits until the look has ended. */
  const use = async () => {
    const now = value.value
    await new Promise((resolve) => setImmediate(resolve))
    return now
  }
  return { use, loads: () => loads, said: memory.printed }
}

describe("what changes", () => {
  it("is loaded again when it is the same in two looks, once", async () => {
    const read = { version: "1", content: "one" }
    const { use, loads, said } = await changing(read)
    for (let at = 0; at < 5; at++) expect(await use()).toBe("one")
    for (let at = 0; at < 5; at++) {
      Object.assign(read, { version: `written ${at}`, content: `half ${at}` })
      expect(await use()).toBe("one")
    }
    expect(loads()).toBe(1)
    read.content = "whole"
    const seen = [await use(), await use(), await use()]
    expect(seen).toEqual(["one", "whole", "whole"])
    expect([loads(), said]).toEqual([2, ["t.csv has changed and was read again: 5 entries"]])
  })

  it("is not used when it changed while it was loaded, or is away for a while", async () => {
    const read: Parameters<typeof changing>[0] = { version: "1", content: "one" }
    const { use, loads, said } = await changing(read)
    Object.assign(read, { version: "2", content: "two", whileLoading: () => (read.version = "3") })
    for (let at = 0; at < 2; at++) expect(await use()).toBe("one")
    delete read.whileLoading
    read.content = "three"
    read.version = new Error("no such file")
    for (let at = 0; at < 5; at++) expect(await use()).toBe("one")
    expect([loads(), said]).toEqual([2, ["t.csv is away, so what was read before is kept: no such file"]])
    read.version = "3"
    expect([await use(), await use(), await use()]).toEqual(["one", "one", "three"])
    // A pattern that names no file any more.
    read.version = ""
    for (let at = 0; at < 5; at++) expect(await use()).toBe("three")
    expect([loads(), said.at(-1)]).toEqual([3, 't.csv is away, so what was read before is kept: "t.csv" names no file'])
  })

  it("is not away when a pattern has named no file from the beginning", async () => {
    const read = { version: "", content: "" }
    const { use, said } = await changing(read)
    for (let at = 0; at < 5; at++) expect(await use()).toBe("")
    Object.assign(read, { version: "1", content: "one" })
    expect([await use(), await use(), await use()]).toEqual(["", "", "one"])
    expect(said).toEqual(["t.csv has changed and was read again: 3 entries"])
  })

  it("stays what it was when it cannot be loaded, which is said once", async () => {
    const read: Parameters<typeof changing>[0] = { version: "1", content: "one" }
    const { use, loads, said } = await changing(read)
    Object.assign(read, { version: "2", content: new Error("no table") })
    for (let at = 0; at < 5; at++) expect(await use()).toBe("one")
    expect([loads(), said]).toEqual([
      2,
      ["t.csv has changed but cannot be used, so what was read before is kept: no table"]
    ])
  })
})
