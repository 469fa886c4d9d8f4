import { execFileSync, spawnSync } from "node:child_process"
import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { describe, expect, it } from "@effect/vitest"
import { DeadlinePassed, oneAtATime } from "../../src/drivers/files/Deadline.ts"
import { TenantFiles } from "../../src/drivers/files/TenantFiles.ts"

const module = fileURLToPath(new URL("../../src/drivers/files/TenantFiles.ts", import.meta.url))

/** As root the modes of files concern nobody without this. */
const bound = ["setpriv", "--bounding-set=-dac_override,-dac_read_search", "--"]
const isRoot = process.getuid?.() === 0
const isBound = !isRoot || spawnSync(bound[0]!, [...bound.slice(1), "true"]).status === 0

/** What is found by a process that the modes of files concern, or why nothing is. */
const watched = (folder: string, patterns: ReadonlyArray<string>, as = "watched"): ReadonlyArray<unknown> => {
  const program = `
    const { TenantFiles } = await import(${JSON.stringify(module)})
    const found = ${JSON.stringify(patterns)}.map((one) => new TenantFiles(${JSON.stringify(folder)}, "logs").${as}(one).catch(String))
    console.log(JSON.stringify(await Promise.all(found)))`
  const [command = "", ...args] = [...(isRoot ? bound : []), process.execPath, "--input-type=module", "-e", program]
  return JSON.parse(execFileSync(command, args, { encoding: "utf8" }))
}

describe("files that are watched", () => {
  it.skipIf(!isBound)("are found where folders can be read, and folders that cannot are named", () => {
    const folder = mkdtempSync(join(tmpdir(), "flow-watched-"))
    try {
      for (const name of ["open", "unlisted", "closed"]) {
        mkdirSync(join(folder, name))
        writeFileSync(join(folder, name, "a.log"), "a\n")
      }
      chmodSync(join(folder, "unlisted"), 0o100)
      chmodSync(join(folder, "closed"), 0o000)
      const patterns = ["*/*.log", "open/*.log", "closed/a.log", "closed/b/*.log", "open/none.log", "none/*.log"]
      expect(watched(folder, patterns)).toEqual([
        {
          paths: ["open/a.log"],
          odd: [],
          unreadable: expect.toSatisfy((all) => all.toSorted().join() === "closed,unlisted")
        },
        { paths: ["open/a.log"], odd: [], unreadable: [] },
        { paths: [], odd: [], unreadable: ["closed/a.log"] },
        { paths: [], odd: [], unreadable: expect.arrayContaining(["closed/b"]) },
        { paths: [], odd: [], unreadable: [] },
        { paths: [], odd: [], unreadable: [] }
      ])
      const refused = (path: string) => `Failure: The gateway's user may not read "${path}" of the root "logs"`
      expect(watched(folder, patterns.slice(0, 4), "glob")).toEqual([
        ["open/a.log"],
        ["open/a.log"],
        refused("closed/a.log"),
        refused("closed/b")
      ])
      expect(watched(folder, ["*/none.log", "closed/*.log"], "found")).toEqual([[], []])
    } finally {
      for (const name of ["unlisted", "closed"]) chmodSync(join(folder, name), 0o700)
      rmSync(folder, { recursive: true })
    }
  })

  it("may have names that no path can have, which disturb no other file and are shown in one line", async () => {
    const folder = mkdtempSync(join(tmpdir(), "flow-odd-"))
    try {
      mkdirSync(join(folder, "odd\tfolder"))
      symlinkSync(".", join(folder, "odd\nlink"))
      for (const name of [
        "a.csv",
        "a\ufffd.csv",
        "b\nc.csv",
        "d\\e.csv",
        "\u001bf.csv",
        "odd\tfolder/g.csv",
        "odd\t.txt"
      ]) {
        writeFileSync(join(folder, name), "a\n")
      }
      writeFileSync(Buffer.concat([Buffer.from(`${folder}/é`), Buffer.of(0xe9), Buffer.from("\n.csv")]), "a\n")
      const files = new TenantFiles(folder, "logs")
      const { paths, odd } = await files.watched("**/*.csv")
      expect(paths).toEqual(["a.csv", "a\ufffd.csv"])
      const shown = ["\\x1bf.csv", "b\\nc.csv", "d\\\\e.csv", "odd\\tfolder/g.csv", "é\\xe9\\n.csv"]
      expect(odd.map((file) => file.shown).toSorted()).toEqual(shown)
      expect(odd.map(({ at }) => statSync(at).size)).toEqual([2, 2, 2, 2, 2])
      expect(await files.glob("a*.csv")).toEqual(["a.csv", "a\ufffd.csv"])
      await expect(files.glob("b*.csv")).rejects.toThrow(
        /^The file "b\\nc\.csv" of the root "logs" has control characters.*: rename it, or name the others by a pattern/
      )
      await expect(files.glob("b\nc.csv")).rejects.toThrow('The path "b\\nc.csv" is not valid')
    } finally {
      rmSync(folder, { recursive: true })
    }
  })

  it("are looked at once at a time, and a look that is late is not begun again before it has ended", async () => {
    const look = oneAtATime<string>(1)
    const begun: Array<string> = []
    const hanging = Promise.withResolvers<string>()
    const start = (work: Promise<string>) => () => {
      begun.push("look")
      return work
    }
    const first = look("share", start(hanging.promise))
    const second = look("share", start(Promise.resolve("never asked")))
    expect(await Promise.allSettled([first, second])).toEqual([
      { status: "rejected", reason: expect.any(DeadlinePassed) },
      { status: "rejected", reason: expect.any(DeadlinePassed) }
    ])
    await expect(look("share", start(Promise.resolve("never asked")))).rejects.toBeInstanceOf(DeadlinePassed)
    expect(begun).toEqual(["look"])
    hanging.resolve("late")
    await hanging.promise
    const patient = oneAtATime<string>(600_000)
    const both = [patient("share", start(Promise.resolve("one"))), patient("share", start(Promise.resolve("two")))]
    expect(await Promise.all(both)).toEqual(["one", "one"])
    expect(await patient("other", start(Promise.resolve("two")))).toBe("two")
    await expect(patient("share", start(Promise.reject(new Error("broken"))))).rejects.toThrow("broken")
    expect(await patient("share", start(Promise.resolve("three")))).toBe("three")
  })
})
