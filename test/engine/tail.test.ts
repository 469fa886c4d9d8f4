import { appendFile, mkdir, mkdtemp, rename, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, it, vi } from "@effect/vitest"
import { Failure } from "../../src/drivers/Failure.ts"
import { TenantFiles } from "../../src/drivers/files/TenantFiles.ts"
import { Tail } from "../../src/run/files/tail/Tail.ts"
import { eventually } from "../support/process.ts"

/** Milliseconds beyond the time for which a file without a name is still read. */
const longAfter = 60_000

let root: string
let ahead: number
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "flow-tail-"))
  await mkdir(join(root, "logs"))
  ahead = 0
  const now = Date.now
  vi.spyOn(Date, "now").mockImplementation(() => now() + ahead)
})
afterEach(async () => {
  vi.restoreAllMocks()
  await rm(root, { recursive: true })
})

const log = (name: string) => join(root, "logs", name)

/** Follows the files, and gathers what is read with the lines and contents it is from. */
const following = (position?: unknown, files = new TenantFiles(root)) => {
  const stop = new AbortController()
  const lines: Array<string> = []
  const contents = new Set<string>()
  const told: Array<string> = []
  const tell = (text: string) => void told.push(text)
  let saved: () => unknown = () => undefined
  let ends = 0
  const read = async () => {
    const tail = new Tail("logs/*.log", files, position, { encoding: "utf-8", tell }, stop.signal)
    for await (const { bytes, content, counts, ended, position } of tail.run()) {
      lines.push(
        ...Buffer.from(bytes)
          .toString()
          .split("\n")
          .filter((line) => line !== "")
      )
      if (bytes.length > 0) contents.add(`${content} from ${counts.records}`)
      counts.records += 1
      if (ended) ends++
      saved = position
    }
  }
  const done = read()
  // Whoever stops it learns of a failure.
  done.catch(() => {})
  return {
    lines,
    told,
    contents,
    ends: () => ends,
    position: () => JSON.parse(JSON.stringify(saved())),
    stop: async () => {
      stop.abort()
      await done
    }
  }
}

describe("files whose folder goes away", () => {
  it("are read on when it comes back, for as long as that takes", async () => {
    await writeFile(log("a.log"), "1\n2\n")
    const run = following()
    await eventually("the first lines", () => run.lines.length === 2)
    await rename(join(root, "logs"), join(root, "away"))
    await eventually("that the file has no name", () => {
      ahead += longAfter
      return run.ends() === 1
    })
    await appendFile(join(root, "away", "a.log"), "3\n")
    await rename(join(root, "away"), join(root, "logs"))
    await eventually("the new line", () => {
      ahead += longAfter
      return run.lines.length > 2
    })
    await run.stop()
    expect(run.lines).toEqual(["1", "2", "3"])
    // The ids of records go on, too.
    expect([...run.contents].map((content) => content.split(" from ")[1])).toEqual(["0", "2"])
    expect(new Set([...run.contents].map((content) => content.split(" from ")[0])).size).toBe(1)
  })

  it("are read on by a run that begins before it is there", async () => {
    await writeFile(log("a.log"), "1\n2\n")
    const first = following()
    await eventually("the first lines", () => first.lines.length === 2)
    await first.stop()
    await rename(join(root, "logs"), join(root, "away"))
    await mkdir(join(root, "logs"))
    const run = following(first.position())
    await writeFile(log("b.log"), "other\n")
    await eventually("the line of another file", () => run.lines.length === 1)
    await appendFile(join(root, "away", "a.log"), "3\n")
    await rename(join(root, "away", "a.log"), log("a.log"))
    await eventually("the new line", () => run.lines.length > 1)
    await run.stop()
    expect(run.lines).toEqual(["other", "3"])
  })
})

describe("a file that cannot be opened", () => {
  /** Folders in which opening fails, as it does without rights or descriptors, which a test as root cannot lack. */
  class Refusing extends TenantFiles {
    reason: Error | undefined
    override async open(path: string) {
      if (path === "logs/a.log" && this.reason !== undefined) throw this.reason
      return super.open(path)
    }
  }
  const refusing = (reason: Error) => Object.assign(new Refusing(root), { reason })

  it("is told of once, and read when it can be", async () => {
    const files = refusing(new Failure("The gateway's user may not read it"))
    await writeFile(log("a.log"), "1\n")
    const run = following(undefined, files)
    for (const name of ["b.log", "c.log", "d.log"]) {
      await writeFile(log(name), `${name}\n`)
      await eventually("the line of another file", () => run.lines.includes(name))
    }
    expect(run.told).toEqual(['"logs/a.log" is not read: The gateway\'s user may not read it'])
    Object.assign(files, { reason: undefined })
    await eventually("its line", () => {
      ahead += longAfter
      return run.lines.includes("1")
    })
    await run.stop()
    expect(run.told.length).toBe(1)
  })

  it("and its folder neither, is told of", async () => {
    class Closed extends TenantFiles {
      override async watched() {
        return { paths: [], odd: [], unreadable: ["logs"] }
      }
    }
    const run = following(undefined, new Closed(root))
    await eventually("the message", () => run.told.length > 0)
    await writeFile(log("a.log"), "1\n")
    await eventually("the line", () => run.lines.length > 0)
    await run.stop()
    expect(run.told).toEqual(['"logs" cannot be read, so there may be files that are not followed'])
  })

  it("because too many are open fails the run", async () => {
    await writeFile(log("a.log"), "1\n")
    const run = following(undefined, refusing(Object.assign(new Error("too many"), { code: "EMFILE" })))
    await expect(run.stop()).rejects.toThrow('"logs/*.log" names more files than can be open at once: 0 are. Raise')
  })
})

describe("a file with the inode of a followed one", () => {
  it("is not read when it is another one, which the pattern does not name", async () => {
    await writeFile(log("a.log"), "1\n")
    const first = following()
    await eventually("the first line", () => first.lines.length === 1)
    await first.stop()
    // What a file system does that gives the number of a removed file to the next one.
    await rename(log("a.log"), log("secret.txt"))
    await writeFile(log("secret.txt"), "not for the flowline\n")
    await writeFile(log("b.log"), "other\n")
    const run = following(first.position())
    await eventually("the line of the other file", () => run.lines.includes("other"))
    await run.stop()
    expect(run.lines).toEqual(["other"])
  })
})
