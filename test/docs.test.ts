import { existsSync, readdirSync, readFileSync } from "node:fs"
import { dirname, join, normalize } from "node:path"
import { describe, expect, it, layer } from "@effect/vitest"
import { Effect } from "effect"
import { description } from "../src/Description.ts"
import { Kind } from "../src/errors/NotFound.ts"
import { settingNames } from "../src/layers/Variables.ts"
import { catalogue } from "../src/nodes/Catalogue.ts"
import { pathWithTools } from "./support/commands/path.ts"
import { Documented, defaultAddress, expectAsSaid } from "./support/documented.ts"
import { documents, fences, problemPages, read, root, section } from "./support/documents.ts"
import { temporary } from "./support/process-gateway.ts"
import { takeTour } from "./support/tour.ts"

const readme = read("README.md")

layer(Documented.layer, { excludeTestServices: true })("the README", (it) => {
  it.effect("takes people on a tour that prints what it says, as do the calls of other pages", () =>
    Effect.gen(function* () {
      const { url } = yield* Documented
      const path = pathWithTools(yield* temporary)
      yield* Effect.promise(async () => {
        const blocks = fences(section(readme, "## A tour of five minutes"))
        const steps = await takeTour(blocks, [defaultAddress, url], path)
        for (const step of steps) expectAsSaid(step)
        const counted = steps.find(({ commands }) => commands.includes("wc -l"))
        const [records, lines] = counted!.printed.trim().split(/\s+/).map(Number)
        expect(records).toBe(lines)
        expect(records).toBeGreaterThan(10_000)
        for (const page of [
          "archives",
          "configuration",
          "errors",
          "flowlines",
          "how-to/monitoring",
          "operations",
          "settings"
        ]) {
          // Without endpoints that need an id, and without those that start a gateway.
          const calls = fences(read(`docs/${page}.md`)).filter(
            ({ language, text }) => language !== "sh" || (text.includes(`${defaultAddress}/`) && !text.includes("$"))
          )
          for (const step of await takeTour(calls, [defaultAddress, url], path)) {
            if (step.documented !== undefined) expectAsSaid(step)
            else expect(step.printed, step.commands).not.toContain(`"type":"/problems/`)
          }
        }
      })
    })
  )

  it.effect("begins with a flowline that runs", () =>
    Effect.gen(function* () {
      const { url } = yield* Documented
      const [flowline] = fences(readme)
      expect(flowline?.language).toBe("yaml")
      const body = new FormData()
      body.append("file", new Blob([flowline!.text]), "first.yaml")
      const answer = yield* Effect.promise(() => fetch(`${url}/v1/mytenant/flowline`, { method: "POST", body }))
      expect(answer.status).toBe(200)
      const { id } = (yield* Effect.promise(() => answer.json())) as { readonly id: string }
      const output = `${url}/v1/mytenant/flowline/executions/${id}/output`
      const stream = yield* Effect.promise(() => fetch(output, { headers: { accept: "text/event-stream" } }))
      expect(yield* Effect.promise(() => stream.text())).toContain('"state":"SUCCEEDED"')
    })
  )

  it.effect.each(["your-own-log", "schedules", "how-to/versions", "how-to/chaining", "how-to/failed-lines"])(
    "leads to %s.md, whose commands print what it says",
    (page) =>
      Effect.gen(function* () {
        const { url } = yield* Documented
        const path = pathWithTools(yield* temporary)
        const steps = yield* Effect.promise(() =>
          takeTour(fences(read(`docs/${page}.md`)), [defaultAddress, url], path)
        )
        for (const step of steps) expectAsSaid(step)
        expect(steps.some(({ documented }) => documented !== undefined)).toBe(true)
      })
  )
})

/** Names that occur in the sources as `/problems/<name>`, and the slugs of the general problems. */
const problemTypes = (): ReadonlySet<string> => {
  const files = [
    "src/layers/http/endpoints/Health.ts",
    ...readdirSync(join(root, "src/errors")).map((name) => `src/errors/${name}`)
  ]
  const declared = files.flatMap((file) =>
    [...read(file).matchAll(/"\/problems\/([a-z-]+)"/g)].map(([, name]) => name!)
  )
  const general = [...read("src/layers/http/problems/ProblemBody.ts").matchAll(/^ {2}\d{3}: \["([a-z-]+)"/gm)]
  return new Set([...declared, ...general.map(([, name]) => name!)])
}

/** The words in `…` of a text that match, in their order. */
const named = (text: string, pattern: RegExp): ReadonlyArray<string> =>
  [...text.matchAll(/`([^`]+)`/g)].map(([, word]) => word!).filter((word) => pattern.test(word))

/** The rows of a page's tables, by the text in `…` in the first cell. */
const rowsOf = (text: string): ReadonlyArray<readonly [names: ReadonlyArray<string>, row: string]> =>
  [...text.matchAll(/^\| (`[^|]+) \|(.+)\|$/gm)].map(([, names, row]) => [named(names!, /./), row!])

/** What matches in the sources of a folder. */
const inSources = (folder: string, pattern: RegExp): ReadonlyArray<string> =>
  readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts"))
    .flatMap((file) => [...read(`${folder}/${file}`).matchAll(pattern)].map(([, name]) => name!))

describe("a list in the documents is that of the code:", () => {
  const types = [...catalogue.values()]

  it("the kinds of what is not found", () => {
    const [, row] = rowsOf(read("docs/problems/not-found.md")).find(([names]) => names[0] === "kind")!
    expect(named(row, /./).toSorted()).toEqual([...Kind.literals].sort())
  })

  it("the limits of requests", () => {
    const limits = new Set([
      ...inSources("src/services", /(?:limitName: |new TooLarge\(\{ limit: )"(\w+)"/g),
      // The part has the name of its limit.
      ...inSources("src/services", /parametersPart = "(\w+)"/g)
    ])
    // One of tenants.
    limits.delete("storedBytes")
    expect(limits.size).toBeGreaterThan(8)
    const listed = rowsOf(section(read("docs/settings.md"), "## Limits")).map(([[name]]) => name!)
    expect(listed.slice(1).sort()).toEqual([...limits].sort())
  })

  it("the defects of the health check", () => {
    const [defects] = inSources("src/layers", /defects: new Map\(\[([\s\S]*?)\n {6}\]\)/g)
    const names = [
      ...[...defects!.matchAll(/\["(\w+)"/g)].map(([, name]) => name!),
      ...inSources("src/layers", /defects\.set\("(\w+)"/g)
    ]
    expect(names.length).toBeGreaterThan(4)
    const page = section(read("docs/operations.md"), "## Health")
    expect(names.filter((name) => !page.includes(`(\`${name}\``))).toEqual([])
  })

  it("the endpoints that accept an Idempotency-Key", () => {
    const operations = Object.entries(description().paths).flatMap(([path, methods]) =>
      Object.entries(methods)
        .filter(([, operation]) => JSON.stringify(operation).includes("/parameters/Idempotency-Key"))
        .map(([method]) => `${method.toUpperCase()} ${path.replace("/v1/{tenant}/", "")}`)
    )
    expect(operations.length).toBeGreaterThan(10)
    const listed = named(section(read("docs/errors.md"), "## Retries"), /^(POST|PUT) \S+$/)
    expect(listed.toSorted()).toEqual(operations.sort())
  })

  it("the nodes", () => {
    const rows = section(read("docs/flowlines.md"), "## Nodes").matchAll(/\[`(\w+)`\]\(/g)
    expect([...rows].map(([, name]) => name!).sort()).toEqual(types.map(({ type }) => type).sort())
  })

  it("the nodes that run in parallel", () => {
    const [, sentence] = /A node runs in parallel([^\n]+?) `aggregate`/.exec(read("docs/flowlines.md"))!
    const names = named(sentence!, /./).filter((name) => catalogue.get(name)?.kind === "processing")
    const stateless = types.filter((type) => type.isStateless !== undefined).map(({ type }) => type)
    expect([...new Set(names)].sort()).toEqual(stateless.sort())
  })

  it("the settings that may refer to secrets", () => {
    const listed = rowsOf(section(read("docs/secrets.md"), "## References")).flatMap(([nodes, row]) =>
      nodes.map((node) => [node, named(row.replace("[`s3`]", "`s3`"), /./)] as const)
    )
    const referring = types.flatMap(({ type, secrets }) => (secrets === undefined ? [] : [[type, secrets] as const]))
    expect(Object.fromEntries(listed)).toEqual(Object.fromEntries(referring))
  })
})

describe("the documents", () => {
  it("have a page for every problem type, and none without one", () => {
    const types = problemTypes()
    expect(types.size).toBeGreaterThan(10)
    expect(new Set(problemPages)).toEqual(types)
    const table = [...read("docs/errors.md").matchAll(/^\| \[([a-z-]+)\]\(problems\/\1\.md\)/gm)].map(
      ([, name]) => name
    )
    expect(new Set(table)).toEqual(types)
  })

  it("name every setting", () => {
    const names = [...Effect.runSync(settingNames)].filter((name) => name.startsWith("FLOW_"))
    const page = read("docs/settings.md")
    const rows = [...page.matchAll(/^\| `(FLOW_[A-Z_]+)`/gm)].map(([, name]) => name)
    expect(new Set(rows)).toEqual(new Set(names))
  })

  it("and recipes set only settings that exist", () => {
    const known = Effect.runSync(settingNames)
    // A misspelt example on the settings page, one of Kubernetes, and one that a launcher sets for its run.
    const others = new Set(["FLOW_DATE", "FLOW_GATEWAY_SERVICE_HOST", "FLOW_RUN_PROCESS"])
    const folders = ["docs", "examples", "test/recipes"]
    const files = folders.flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true, encoding: "utf8", withFileTypes: true })
        .filter((entry) => entry.isFile() && /\.(md|ya?ml|ts|sh|service|env)$|^[^.]+$/.test(entry.name))
        .map((entry) => join(entry.parentPath, entry.name))
    )
    const named = files.flatMap((file) =>
      [...readFileSync(file, "utf8").matchAll(/(?<![A-Za-z_])FLOW_[A-Z][A-Z0-9_]*/g)].map(([name]) => name)
    )
    expect(named.length).toBeGreaterThan(100)
    expect([...new Set(named)].filter((name) => !known.has(name) && !others.has(name))).toEqual([])
  })

  it("are all in the index", () => {
    const index = read("docs/README.md")
    const pages = documents.filter((file) => /^docs\/(?!README|problems\/|decisions\/\d)/.test(file))
    expect(pages.filter((file) => !index.includes(`](${file.slice("docs/".length)})`))).toEqual([])
    const decisions = documents.filter((file) => /^docs\/decisions\/\d/.test(file))
    const listed = read("docs/decisions/README.md")
    expect(decisions.filter((file) => !listed.includes(`](${file.slice("docs/decisions/".length)})`))).toEqual([])
  })

  it("have at most 2,000 words each", () => {
    const words = (file: string) => read(file).split(/\s+/).length
    expect(documents.filter((file) => file !== "CHANGELOG.md" && words(file) > 2000)).toEqual([])
  })

  it("say in at most 1,500 words what is new in a version", () => {
    const versions = read("CHANGELOG.md").split(/^## /m).slice(1)
    expect(versions.length).toBeGreaterThan(0)
    expect(versions.filter((text) => text.split(/\s+/).length > 1500).map((text) => text.split("\n")[0])).toEqual([])
  })

  it("link to what exists", () => {
    const broken = documents.flatMap((file) =>
      [...read(file).matchAll(/\]\(([^)\s]+)\)/g)]
        .map(([, to]) => to!)
        .filter((to) => !/^[a-z]+:/.test(to))
        .filter((to) => {
          const [path = "", anchor] = to.split("#")
          const target = path === "" ? file : normalize(join(dirname(file), path))
          if (!existsSync(join(root, target))) return true
          if (anchor === undefined) return false
          const headings = [...read(target).matchAll(/^#+ (.*)$/gm)].map(([, text]) => anchorOf(text!))
          return !headings.includes(anchor)
        })
        .map((to) => `${file}: ${to}`)
    )
    expect(broken).toEqual([])
  })

  it("name no package registry and no folder of somebody's machine", () => {
    const forbidden = /npmjs|registry\.(?:npm|yarn)|npm\.pkg|\/home\/\w|\/Users\/|\/root\/|\/work\/|\/tmp\/[a-z]/
    expect(documents.filter((file) => forbidden.test(read(file)))).toEqual([])
  })
})

/** As the usual renderers make anchors from headings. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, "")
    .replaceAll(" ", "-")
