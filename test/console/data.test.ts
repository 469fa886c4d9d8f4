import { createHash } from "node:crypto"
import { describe, expect, it } from "@effect/vitest"
import { Schema } from "effect"
import { fileDigest } from "../../packages/console/src/pages/data/fileDigest.ts"
import { nameOf, targetOf } from "../../packages/console/src/pages/guide/addresses.ts"
import { search } from "../../packages/console/src/pages/guide/search.ts"
import { faultsOf } from "../../packages/console/src/pages/guide/syntax.ts"
import { hjsonParts } from "../../packages/console/src/parts/hjson.ts"
import { plotSpan } from "../../packages/console/src/parts/plotSpan.ts"
import { type Branch, branches, keyOf, match, openIn, parentOf } from "../../packages/console/src/parts/treeRows.ts"

const runs = { arbitrary: { runs: 300 } }

describe("the times of a plot", () => {
  it("are those of its values, and a second or a bar of a single one", () => {
    expect(plotSpan([100, 130, 190], 0)).toEqual([100, 190])
    expect(plotSpan([100, 130, 190], 60)).toEqual([100, 250])
    expect(plotSpan([100], 0)).toEqual([100, 101])
    expect(plotSpan([100], 3600)).toEqual([100, 3700])
    expect(plotSpan([], 0)).toEqual([0, 1])
  })
})

describe("the digest of a file", () => {
  it("of 64 MiB is that of the gateway, and four of them are in memory at once", async () => {
    const mebibyte = 1024 * 1024
    const size = 64 * mebibyte + 77
    const whole = createHash("sha256")
    let asked = 0
    let largest = 0
    const slice = (begin = 0, end = size) => {
      const bytes = new Uint8Array(Math.min(end, size) - begin).fill(begin / mebibyte)
      largest = Math.max(largest, bytes.length)
      asked += bytes.length
      whole.update(bytes)
      return new Blob([bytes])
    }
    const read: Array<number> = []
    const digest = await fileDigest({ size, slice }, (bytes) => read.push(bytes))
    expect([digest, asked, largest]).toEqual([whole.digest("hex"), size, 4 * mebibyte])
    expect(read).toEqual([...Array.from({ length: 16 }, (_, at) => (at + 1) * 4 * mebibyte), size])
  })

  it("that is empty is that of no bytes", async () => {
    expect(await fileDigest(new Blob([]), () => {})).toBe(createHash("sha256").digest("hex"))
  })
})

describe("a tree of paths", () => {
  const all = (tree: ReadonlyArray<Branch<string>>): ReadonlyArray<Branch<string>> =>
    tree.flatMap((branch) => [branch, ...all(branch.children)])
  const Path = Schema.Array(Schema.Literals(["a", "b", "B", "10", "9", "ä"])).check(Schema.isMinLength(1))
  it.prop(
    "has every file once, below its folders",
    { given: Schema.Array(Path) },
    ({ given }) => {
      // Files have an extension, so that no path is a folder of another one.
      const paths = [...new Set(given.map((segments) => `${segments.join("/")}.txt`))]
      const shown = all(branches(paths, (path) => path))
      expect(shown.filter(({ leaf }) => leaf !== undefined).map(({ path }) => path)).toHaveLength(paths.length)
      const open = new Set<string | undefined>([undefined])
      for (const { path, level, leaf, files } of shown) {
        expect(open.has(parentOf(path))).toBe(true)
        expect(level).toBe(path.split("/").length)
        if (leaf !== undefined) continue
        open.add(path)
        expect(files).toBe(paths.filter((one) => one.startsWith(`${path}/`)).length)
      }
    },
    runs
  )

  it("has folders before files, in the order of their numbers, and no folder is open in one that is closed", () => {
    const tree = branches(["z.txt", "a10/x", "a9/x", "a9/b/y"], (path) => path)
    expect(all(tree).map(keyOf)).toEqual(["a9/", "a9/b/", "a9/b/y", "a9/x", "a10/", "a10/x", "z.txt"])
    expect([...openIn(tree, () => true)]).toEqual(["a9/", "a9/b/", "a10/"])
    expect([...openIn(tree, (key) => key !== "a9/")]).toEqual(["a10/"])
    expect(match(["Ab/c", "d"], (path) => path, "b/C")).toEqual(["Ab/c"])
  })

  it("tells a folder and a file of the same path apart", () => {
    expect(all(branches(["a", "a/b"], (path) => path)).map(keyOf)).toEqual(["a/", "a/b", "a"])
  })
})

describe("an address of a page", () => {
  const root = "http://host/flow/v1/shop/documentation/"
  it("leads to pages, files and other sites, and to nothing that is run", () => {
    const of = (address: string, base = `${root}guide`) => targetOf(address, base, root)
    expect(of("./flowlines.md#set-up")).toEqual({ kind: "page", path: "flowlines.md", hash: "#set-up" })
    expect(of("documentation/a%20b.md", root.slice(0, -1))).toEqual({ kind: "page", path: "a b.md", hash: "" })
    expect(of("", root.slice(0, -1))).toEqual({ kind: "page", path: "", hash: "" })
    expect(of("pictures/a.svg")).toEqual({ kind: "file", url: `${root}pictures/a.svg` })
    expect(of("problems/bad-request")).toEqual({ kind: "page", path: "problems/bad-request", hash: "" })
    for (const url of ["https://example.com/a", "mailto:a@b.c", "http://host/flow/v1/other/documentation/x"]) {
      expect(of(url)).toEqual({ kind: "elsewhere", url })
    }
    for (const bad of [
      "javascript:x()",
      " java\nscript:x()",
      "data:text/html,x",
      "blob:x",
      "about:blank",
      "http://["
    ]) {
      expect(of(bad)).toBeUndefined()
    }
    expect(["index.md", "a/index.html", "a/b.md", "a.html", "a/"].map(nameOf)).toEqual(["", "a", "a/b", "a.html", "a"])
  })
})

describe("the search of pages", () => {
  const page = (path: string, title: string, text: string) => ({
    ...{ path, title, text },
    headings: title.toLowerCase(),
    lower: text.toLowerCase()
  })
  const pages = [
    page("b.md", "Other", "grok here, and a Pattern there"),
    page("a.md", "Grok patterns", "all of them"),
    page("c.md", "Grok", "but nothing else")
  ]
  it("wants all words, whatever their case, and has titles first", () => {
    expect(search(pages, "PATTERN grok").map((hit) => hit.page.path)).toEqual(["a.md", "b.md"])
    expect(search(pages, "  ")).toEqual([])
    expect(search(pages, "there")[0]?.snippet).toContain("Pattern there")
  })
})

describe("the syntax of files", () => {
  it("is told with its place", () => {
    expect(faultsOf("a.txt", "{")).toBeUndefined()
    expect(faultsOf("a.json", '{"a": [1, 2]}')).toEqual([])
    const placeOf = (text: string) => faultsOf("a.json", text)?.map(({ line, column }) => [line, column])
    expect(placeOf('{\n  "a": 1,\n  "b": }\n')).toEqual([[3, 8]])
    expect(placeOf("[1, 2,]")).toEqual([[1, 7]])
    expect(placeOf('{"a" 1}')).toEqual([[1, 6]])
    expect(placeOf('{"a": tru}')).toEqual([[1, 10]])
    expect(placeOf('["a')).toEqual([[1, 4]])
    expect(placeOf("")).toEqual([[1, 1]])
    expect(faultsOf("a.yaml", "a: 1\n---\nb: [1, 2]\n")).toEqual([])
    expect(faultsOf("a.yml", "a: 1\nb: [1, 2\nc: 3\n")?.[0]?.line).toBeGreaterThan(1)
  })

  it("of HJSON has its parts in colours", () => {
    const text = `# one\n{ key: value of it # no comment\n "quoted": 'x', n: -1.5e3, t: true\n m: '''\n  a: b\n ''' // end\n}`
    expect(hjsonParts(text).map(({ kind, from, to }) => [kind, text.slice(from, to)])).toEqual([
      ["comment", "# one"],
      ["key", "key"],
      ["text", "value of it # no comment"],
      ["key", '"quoted"'],
      ["quoted", "'x'"],
      ["key", "n"],
      ["value", "-1.5e3"],
      ["key", "t"],
      ["value", "true"],
      ["key", "m"],
      ["several", "'''\n  a: b\n '''"],
      ["comment", "// end"]
    ])
  })
})
