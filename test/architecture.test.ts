import { readdirSync, readFileSync } from "node:fs"
import { dirname, join, relative } from "node:path"
import { describe, expect, it } from "vitest"

const root = new URL("../", import.meta.url).pathname
const files = (folder: string): Array<string> =>
  readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts"))
    .map((file) => join(folder, file))

const importsOf = (file: string): Array<string> =>
  [...readFileSync(join(root, file), "utf8").matchAll(/(?:from|import)\s*\(?\s*"([^"]+)"/g)].map(([, name]) =>
    name!.startsWith(".") ? relative(root, join(root, dirname(file), name!)) : name!
  )

/** Packages without I/O that the pure parts of the product may use. */
const pure = /^(effect(\/.*)?|yaml|hjson|jsep|oniguruma-to-es|quickjs-emscripten|csv-parse(\/sync)?)$/
/** What every feature may stand on. */
const ground = /^src\/(errors|languages|protocol|services\/shared)\//
/** What handlers share, and the forms and streams that they read and write. */
const http = /^src\/services\/http\//
/** The ports to what both programs use; all else in `drivers` is their adapters. */
const ports = /^src\/drivers\/(blobs\/(Blobs|Pipe)|search\/Search)\.ts$/
const packages = /^(?!src\/)/
/** Use cases and ports of features: all of their folder but what faces HTTP. */
const services = /^src\/services\/(?!.*\/(Api|Http)\.ts$)/

/** Who may import whom: the first rule whose pattern a file matches holds. `own` is the feature's folder. */
const rules: ReadonlyArray<readonly [files: RegExp, mayImport: (own: string) => ReadonlyArray<RegExp>]> = [
  [/^src\/errors\//, () => [/^effect/, /^src\/errors\//]],
  [/^src\/languages\//, () => [pure, /^src\/languages\//]],
  [/^src\/protocol\//, () => [/^effect/, /^src\/(languages|protocol)\//]],
  [/^src\/nodes\//, () => [pure, /^src\/(languages|protocol|nodes)\//]],
  [/^src\/drivers\//, () => [packages, /^src\/(errors|languages|protocol|nodes|drivers)\//]],
  [/^src\/run\//, () => [packages, /^src\/(errors|languages|protocol|nodes|drivers|run)\//]],
  [/^src\/services\/shared\//, () => [/^effect/, ground]],
  [/^src\/services\/http\//, () => [/^effect/, ground, http, ports]],
  [/^src\/services\/\w+\/Api\.ts$/, (own) => [/^effect/, ground, new RegExp(`^${own}/(?!Http\\.ts)\\w+\\.ts$`)]],
  [/^src\/services\/\w+\/Http\.ts$/, (own) => [/^effect/, ground, http, /^src\/Api\.ts$/, new RegExp(`^${own}/`)]],
  [/^src\/services\//, () => [pure, ground, http, /^src\/nodes\//, ports, services]],
  [/^src\/layers\/http\//, () => [packages, ground, /^src\/drivers\/Package\.ts$/, /^src\/layers\/http\//]],
  [/^src\/layers\/memory\/Engine.ts/, () => [/./]],
  [/^src\/layers\//, () => [packages, /^src\/(errors|languages|protocol|nodes|drivers|layers)\//, services]],
  [
    /^src\/Api\.ts$/,
    () => [/^effect/, /^src\/services\/\w+\/Api\.ts$/, /^src\/services\/shared\/RequestProblems\.ts$/]
  ],
  [
    /^src\/Http\.ts$/,
    () => [/^effect/, /^src\/Api\.ts$/, /^src\/services\/\w+\/Http\.ts$/, /^src\/layers\/http\//, ground]
  ],
  [/^src\/client\.ts$/, () => [/^effect/, /^src\/Api\.ts$/]],
  [/^src\/run\.ts$/, () => [/^effect/, /^src\/(run|drivers)\//]],
  [/^src\/\w+\.ts$/, () => [/^@?effect/, /^src\/(Http|gateway)\.ts$/, ground, http, /^src\/layers\//]]
]

const mayImport = (file: string, name: string): boolean => {
  const rule = rules.find(([pattern]) => pattern.test(file))
  return rule?.[1](dirname(file)).some((allowed) => allowed.test(name)) ?? false
}

describe("architecture", () => {
  const sources = files("src").filter((file) => !file.endsWith(".d.ts"))

  it("lets every file import only what its place allows", () => {
    const wrong = sources.flatMap((file) =>
      importsOf(file)
        .filter((name) => !mayImport(file, name))
        .map((name) => `${file} imports ${name}`)
    )
    expect(wrong).toEqual([])
  })

  it("sees a forbidden import", () => {
    expect(mayImport("src/services/conf/Conf.ts", "node:fs")).toBe(false)
    expect(mayImport("src/services/conf/Api.ts", "src/services/conf/Http.ts")).toBe(false)
    expect(mayImport("src/services/conf/Http.ts", "src/layers/conf/Disk.ts")).toBe(false)
    expect(mayImport("src/layers/conf/Disk.ts", "src/services/conf/Api.ts")).toBe(false)
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
    const long = [...sources, ...files("test"), ...files("bench"), ...files("scripts"), ...files("migrations")].filter(
      (file) => readFileSync(join(root, file), "utf8").trimEnd().split("\n").length > 300
    )
    expect(long).toEqual([])
  })

  it("has no circular imports", () => {
    const graph = new Map(sources.map((file) => [file, importsOf(file).filter((name) => name.startsWith("src/"))]))
    const done = new Set<string>()
    const visit = (file: string, path: ReadonlyArray<string>): ReadonlyArray<string> | undefined => {
      if (path.includes(file)) return [...path.slice(path.indexOf(file)), file]
      if (done.has(file)) return undefined
      for (const next of graph.get(file) ?? []) {
        const cycle = visit(next, [...path, file])
        if (cycle !== undefined) return cycle
      }
      done.add(file)
      return undefined
    }
    expect(sources.map((file) => visit(file, [])).find((cycle) => cycle !== undefined)).toBeUndefined()
  })
})
