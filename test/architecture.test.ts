import { readdirSync, readFileSync } from "node:fs"
import { dirname, join, relative } from "node:path"
import { fileURLToPath } from "node:url"
import { describe, expect, it } from "vitest"
import { catalogue } from "../src/nodes/Catalogue.ts"
import { mayImport } from "./support/importRules.ts"

const root = fileURLToPath(new URL("../", import.meta.url))
const files = (folder: string): Array<string> =>
  readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((file) => /\.tsx?$/.test(file))
    .map((file) => join(folder, file))

const importsOf = (file: string): Array<string> =>
  [...readFileSync(join(root, file), "utf8").matchAll(/(?:from\s+|import\s*\(\s*|import\s+)"([^"]+)"/g)].map(
    ([, name]) => (name!.startsWith(".") ? relative(root, join(root, dirname(file), name!)) : name!)
  )

/** The files of nodes, and the one that lists them. */
const nodeFiles = /^src\/nodes\/((inputs|processing|outputs)\/|Catalogue\.ts$)/
/** Its patterns name fields. */
const grokBanks = /^src\/languages\/grok\/banks\//
/** It writes a flowline of two nodes, as a user would. */
const flowlineWriter = "src/services/extraction/Extraction.ts"

const types = [...catalogue.keys()]
/** Names that stand for nothing else. Others, such as "json", are ordinary words. */
const distinct = types.filter((type) => type.includes("_")).join("|")
/** Finds code that branches on node names: distinctive names anywhere, and every name to which a `type` is compared. */
const told = new RegExp(
  [
    `"(?:${distinct})"`,
    `\\btype\\b\\)?\\s*[!=]==?\\s*"(?:${types.join("|")})"`,
    `"(?:${types.join("|")})"\\s*[!=]==?\\s*[\\w.?]*\\btype\\b`,
    `switch \\([^)]*\\btype\\)\\s*\\{\\s*case "(?:${types.join("|")})"`
  ].join("|"),
  "g"
)

/** The node names on which a file branches, and the nodes that it imports. */
const nodesNamedIn = (file: string, text: string): ReadonlyArray<string> => {
  const named = [...text.matchAll(told)].map(([found]) => found)
  const imports = [...text.matchAll(/import \{([^}]*)\} from "([^"]*nodes\/(?:inputs|processing|outputs)\/[^"]*)"/g)]
  const definitions = imports.flatMap(([, names = "", path = ""]) =>
    names
      .split(",")
      .map((name) => name.trim())
      .filter((name) => readFileSync(join(root, dirname(file), path), "utf8").includes(`const ${name} = node(`))
  )
  return file === flowlineWriter ? named : [...named, ...definitions]
}

type Graph = ReadonlyMap<string, ReadonlyArray<string>>

/** A way that leads back to where it began, or undefined. */
const circle = (graph: Graph): ReadonlyArray<string> | undefined => {
  const done = new Set<string>()
  const visit = (name: string, path: ReadonlyArray<string>): ReadonlyArray<string> | undefined => {
    if (path.includes(name)) return [...path.slice(path.indexOf(name)), name]
    if (done.has(name)) return undefined
    for (const next of graph.get(name) ?? []) {
      const found = visit(next, [...path, name])
      if (found !== undefined) return found
    }
    done.add(name)
    return undefined
  }
  for (const name of graph.keys()) {
    const found = visit(name, [])
    if (found !== undefined) return found
  }
  return undefined
}

/**
 * The imports between folders at this depth below `src`. A file above that depth counts by itself. Handlers are
 * omitted, because they are above all features, and only `src/Http.ts` imports them.
 */
const folders = (graph: Graph, level: number): Graph => {
  const folderOf = (file: string) => file.split("/", level + 1).join("/")
  const found = new Map<string, Array<string>>()
  for (const [file, names] of graph) {
    if (/^src\/services\/\w+\/\w*Http\.ts$/.test(file)) continue
    const folder = folderOf(file)
    const others = names.map(folderOf).filter((name) => name !== folder)
    found.set(folder, [...(found.get(folder) ?? []), ...others])
  }
  return found
}

describe("architecture", () => {
  const sources = [...files("src"), ...files("packages/client/src"), ...files("packages/console/src")].filter(
    (file) => !file.endsWith(".d.ts")
  )
  const graph: Graph = new Map(
    sources.map((file) => [file, importsOf(file).filter((name) => /^(src|packages)\//.test(name))])
  )

  it("lets every file import only what its place allows", () => {
    const wrong = sources.flatMap((file) =>
      importsOf(file)
        .filter((name) => !mayImport(file, name))
        .map((name) => `${file} imports ${name}`)
    )
    expect(wrong).toEqual([])
  })

  it("sees a forbidden import", () => {
    const allowed: ReadonlyArray<readonly [file: string, name: string]> = [
      ["src/services/conf/Conf.ts", "src/services/blobs/BlobSweep.ts"],
      ["src/services/conf/Conf.ts", "src/drivers/blobs/Blobs.ts"],
      ["src/layers/conf/ConfFolders.ts", "src/drivers/files/OpenInside.ts"],
      ["src/run/Run.ts", "src/drivers/search/PostgresSearch.ts"]
    ]
    const forbidden: ReadonlyArray<readonly [file: string, name: string]> = [
      ["src/languages/grok/GrokMatcher.ts", "src/errors/BadRequest.ts"],
      ["src/languages/grok/GrokMatcher.ts", "node:fs"],
      ["src/protocol/RunProtocol.ts", "src/nodes/Node.ts"],
      ["src/nodes/Node.ts", "src/services/shared/settings/Settings.ts"],
      ["src/nodes/Node.ts", "src/run/Run.ts"],
      ["src/nodes/Node.ts", "node:fs"],
      ["src/drivers/blobs/disk/DiskBlobs.ts", "src/services/shared/settings/Settings.ts"],
      ["src/drivers/blobs/disk/DiskBlobs.ts", "src/layers/conf/ConfFolders.ts"],
      ["src/run/Run.ts", "src/services/runs/Attempt.ts"],
      ["src/run/Run.ts", "packages/client/src/FlowGateway.ts"],
      ["packages/client/src/FlowGateway.ts", "node:fs"],
      ["packages/client/src/FlowGateway.ts", "src/services/flowlines/Flowlines.ts"],
      ["packages/client/src/promise.ts", "yaml"],
      ["packages/console/src/pages/tester/Testing.ts", "packages/client/src/light.ts"],
      ["packages/console/src/pages/tester/Testing.ts", "@flow-gateway/client"],
      ["packages/console/src/pages/tester/Testing.ts", "src/services/operators/Tester.ts"],
      ["packages/console/src/pages/tester/Testing.ts", "packages/console/src/pages/other/Other.ts"],
      ["packages/console/src/app/gateway.ts", "packages/console/src/parts/Editor.tsx"],
      ["packages/console/src/app/gateway.ts", "packages/console/src/pages/tester/TesterPage.tsx"],
      ["packages/console/src/shell/router.tsx", "packages/console/src/pages/tester/Testing.ts"],
      ["src/layers/http/console/Console.ts", "packages/console/src/main.tsx"],
      ["src/run/Run.ts", "src/layers/engine/Child.ts"],
      ["src/run.ts", "src/layers/EnvironmentSettings.ts"],
      ["src/layers/engine/LocalEngine.ts", "src/run/Run.ts"],
      ["src/gateway.ts", "src/run/Run.ts"],
      ["src/services/conf/Conf.ts", "node:fs"],
      ["src/services/conf/Conf.ts", "src/drivers/blobs/disk/DiskBlobs.ts"],
      ["src/services/conf/Conf.ts", "src/run/Run.ts"],
      ["src/services/conf/Conf.ts", "src/services/flowlines/Api.ts"],
      ["src/services/conf/Conf.ts", "src/services/http/FormReader.ts"],
      ["src/services/conf/Api.ts", "src/services/conf/Http.ts"],
      ["src/services/conf/Api.ts", "src/services/conf/Description.ts"],
      ["src/services/conf/Conf.ts", "src/services/conf/Description.ts"],
      ["src/services/conf/Http.ts", "src/layers/conf/ConfFolders.ts"],
      ["src/services/conf/Http.ts", "src/services/flowlines/Flowlines.ts"],
      ["src/services/flowlines/tries/Tries.ts", "src/services/flowlines/TryHttp.ts"],
      ["src/services/shared/settings/Settings.ts", "src/services/http/FormReader.ts"],
      ["src/services/http/FormReader.ts", "src/services/conf/Conf.ts"],
      ["src/layers/conf/ConfFolders.ts", "src/services/conf/Api.ts"],
      ["src/layers/conf/ConfFolders.ts", "src/services/http/FormReader.ts"],
      ["src/gateway.ts", "src/services/http/FormReader.ts"],
      ["src/somewhere/New.ts", "effect"]
    ]
    expect(allowed.filter(([file, name]) => !mayImport(file, name))).toEqual([])
    expect(forbidden.filter(([file, name]) => mayImport(file, name))).toEqual([])
  })

  it("lets a node know itself: no file but its own asks which node it has", () => {
    const wrong = sources
      // The console shows examples of flowlines, which name nodes as the documentation does.
      .filter((file) => !nodeFiles.test(file) && !grokBanks.test(file) && !file.startsWith("packages/console/"))
      .flatMap((file) => nodesNamedIn(file, readFileSync(join(root, file), "utf8")).map((name) => `${file}: ${name}`))
    expect(wrong).toEqual([])
  })

  it("sees a file that asks which node it has", () => {
    const naming = [
      'new Set(["search_input"])',
      'if (station.type.type !== "show") return',
      'dag.some(({ type }) => type === "sql")',
      'if ("csv" === node.type) return',
      'switch (node.type) {\n  case "date":',
      'import { chosen, fileInput } from "../nodes/inputs/FileInput.ts"'
    ]
    const ordinary = [
      'format === "json"',
      'operator === "flowlet"',
      'program("sql")',
      'type === "object"',
      'import { viewsOf } from "../nodes/processing/Sql.ts"'
    ]
    const count = (text: string) => nodesNamedIn("src/run/New.ts", text).length
    expect(naming.map(count)).toEqual(naming.map(() => 1))
    expect(ordinary.map(count)).toEqual(ordinary.map(() => 0))
  })

  it("loads of large packages only what it uses: an idle gateway is to be small", () => {
    const whole = /^(@effect\/platform-node|effect\/(cluster|encoding|observability|reactivity|rpc))$/
    const wrong = sources.flatMap((file) =>
      importsOf(file)
        .filter((name) => whole.test(name))
        .map(() => file)
    )
    expect(wrong).toEqual([])
  })

  it("keeps files under 300 lines", () => {
    const python = readdirSync(join(root, "python")).filter((file) => file.endsWith(".py"))
    const others = ["test", "bench", "scripts", "migrations"].flatMap(files)
    const long = [...sources, ...others, ...python.map((file) => join("python", file))].filter(
      // The texts of the console are one file, so that another language is another file.
      (file) =>
        !file.startsWith("packages/console/src/texts/") &&
        readFileSync(join(root, file), "utf8").trimEnd().split("\n").length > 300
    )
    expect(long).toEqual([])
  })

  it("has no circular imports", () => {
    expect(circle(graph)).toBeUndefined()
  })

  it("has no folder that imports another one that imports it back", () => {
    expect([1, 2, 3, 4].map((level) => circle(folders(graph, level)))).toEqual([1, 2, 3, 4].map(() => undefined))
  })

  it("sees a circle of folders that is none of files", () => {
    const added = new Map<string, ReadonlyArray<string>>([
      ...graph,
      ["src/services/conf/New.ts", ["src/services/flowlines/Flowlines.ts"]],
      ["src/services/flowlines/New.ts", ["src/services/conf/Conf.ts"]]
    ])
    expect(circle(added)).toBeUndefined()
    expect(circle(folders(added, 2))).toEqual(expect.arrayContaining(["src/services/conf", "src/services/flowlines"]))
  })
})
