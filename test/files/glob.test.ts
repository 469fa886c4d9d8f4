import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, matchesGlob } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { Result } from "effect"
import { TenantFiles } from "../../src/drivers/files/TenantFiles.ts"
import { globFault, globTest } from "../../src/languages/Glob.ts"
import { validate } from "../../src/services/flowlines/validation/Validation.ts"
import { random } from "../support/random.ts"

const { below } = random()
const one = <A>(choices: ReadonlyArray<A>): A => choices[below(choices.length)]!
const many = (least: number, most: number, make: () => string, separator = "") =>
  Array.from({ length: least + below(most - least + 1) }, make).join(separator)

const letters = ["a", "b", "c", "."]
const isOdd = (segment: string) => segment === "" || segment === "." || segment === ".."
const classes = ["[ab]", "[!a]", "[^a-b]", "[b-]", "[]a]", "[c-a]", "[a", "[[:alpha:]]", "[![:digit:]b]"]
const sequences = ["{1..3}", "{08..11}", "{a..c}", "{c..a..2}", "{a}", "{}"]

const wild = (depth: number): string => {
  const kinds = ["a", "b", "c", "1", "*", "*", "?", one(classes), one(sequences)]
  if (depth === 0) kinds.push(".")
  if (depth < 2) kinds.push(`{${many(2, 3, () => many(0, 3, () => wild(depth + 1)), ",")}}`)
  return one(kinds)
}
const pattern = () => many(1, 4, () => (below(4) === 0 ? "**" : many(1, 4, () => wild(0))), "/")
const name = () =>
  many(1, 4, () => [many(1, 4, () => one([...letters, "1"]))].map((s) => (isOdd(s) ? "a" : s))[0]!, "/")

const refused = expect.stringMatching(/^The braces stand for more than 1000 paths, or .*: write \* or \? in place of/)

const fileInput = (path: string) => ({
  runtime: "stream",
  dag: [
    { type: "file_input", settings: { path }, publish: [{ stream: "out" }] },
    { type: "show", subscribe: [{ component: "file_input", stream: "out" }] }
  ]
})

const tooMany = [
  "{1..30000}",
  `boom/${"{a,b}".repeat(14)}`,
  `{1..40}/{1..40}`,
  `{${"a".repeat(100)},b}${"{1,2}".repeat(9)}`
]

describe("patterns of paths", () => {
  it("match what Node says, for all that is documented", () => {
    let matched = 0
    for (let round = 0; round < 8000; round++) {
      const [path, glob] = [name(), pattern()]
      // Node resolves the dots of paths that braces expand to, each in a different way.
      if (glob.split("/").some(isOdd) || /[{}].*\.|\..*[{}]/.test(glob) || globFault(glob) !== undefined) continue
      const expected = matchesGlob(path, glob)
      if (expected) matched++
      expect([glob, path, globTest(glob)(path)]).toEqual([glob, path, expected])
    }
    expect(matched).toBeGreaterThan(200)
  })

  it("take what is not documented for itself", () => {
    for (const path of ["a(1).log", "+(a).log", "!a.log", "#a.log", "@(a|b).log", "{a}.log", "a].log"]) {
      expect([path, globTest(`${path.slice(0, -4)}*`)(path)]).toEqual([path, true])
    }
    expect(globTest("*(a|b)")("ab")).toBe(false)
    expect(["a.log", "old/a.log", "new/a.log"].map(globTest("{.,old}/*.log"))).toEqual([true, true, false])
  })

  it("are compared in a time that no pattern and no name makes long", () => {
    const long = "a".repeat(255)
    expect(globTest(`${"*a".repeat(60)}*b`)(long)).toBe(false)
    expect(globTest(`${"*a".repeat(60)}*a`)(long)).toBe(true)
    expect(globTest(`${"[a-c]*?*".repeat(30)}b`)(long)).toBe(false)
    expect(globTest(`*(${"*(a|".repeat(20)}b`)(long)).toBe(false)
    expect(globTest(`${"**/a/".repeat(400)}b`)("a/".repeat(2000))).toBe(false)
    expect(globTest("[".repeat(4096))(long)).toBe(false)
    expect(globTest(`${"{".repeat(2000)}a,b${"}".repeat(2000)}`)(long)).toBe(false)
  })

  it("stand for a number of paths that is bounded where they are saved and where they are used", async () => {
    expect(globFault(`logs/2026-{01..12}-{01..31}*.{log,gz}`)).toBeUndefined()
    for (const path of [...tooMany, "{1..999999999999999}"]) {
      expect([path, globFault(path)]).toEqual([path, refused])
      expect(() => globTest(path)).toThrow(globFault(path))
    }
    const files = new TenantFiles(tmpdir())
    for (const path of tooMany) {
      const checked = validate(fileInput(path))
      const details = Result.isFailure(checked) ? checked.failure.map(({ detail }) => detail) : []
      expect([path, details]).toEqual([path, [refused]])
      await expect(files.watched(path)).rejects.toThrow(globFault(path))
    }
  })

  it("leave the thread to others again and again while many names are compared", async () => {
    const folder = mkdtempSync(join(tmpdir(), "flow-glob-"))
    try {
      for (let at = 100; at < 130; at++) writeFileSync(join(folder, "a".repeat(240) + at), "")
      let turns = 0
      let isSearching = true
      const count = () => {
        turns++
        if (isSearching) setImmediate(count)
      }
      setImmediate(count)
      expect(await new TenantFiles(folder).glob(`*${"a".repeat(110)}b{1..60}`)).toEqual([])
      isSearching = false
      expect(turns).toBeGreaterThan(9)
    } finally {
      rmSync(folder, { recursive: true })
    }
  })
})
