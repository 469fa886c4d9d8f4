import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { tmpdir } from "node:os"
import { dirname, join, relative } from "node:path"
import { fileURLToPath } from "node:url"
import { gunzipSync } from "node:zlib"
import { afterAll, describe, expect, it } from "@effect/vitest"
import { Schema } from "effect"
import { parse as parseYaml } from "yaml"
import { makeSamples, type Sample, sampleBytes, samplesFolder, writeSamples } from "../scripts/samples.ts"
import { Flowline } from "../src/protocol/Flowline.ts"

const conf = fileURLToPath(new URL("../examples/conf/", import.meta.url))
const tenant = "tenants/mytenant"
const samples = makeSamples()
const scratch = mkdtempSync(join(tmpdir(), "flow-examples-"))
afterAll(() => rmSync(scratch, { recursive: true }))

const sample = (name: string): Sample => {
  const found = samples.find((one) => one.name === name)
  if (found === undefined) throw new Error(`no sample ${name}`)
  return found
}
const linesOf = (name: string) => sample(name).text.trimEnd().split("\n")

/** `%h %l %u %t "%r" %>s %b "%{Referer}i" "%{User-Agent}i"` */
const combined =
  /^[\w.:-]+ \S+ \S+ \[\d\d\/[A-Z][a-z]{2}\/\d{4}(?::\d\d){3} [+-]\d{4}\] "[^"]+" \d{3} (?:\d+|-) "[^"]+" "[^"]+"$/
const rfc3164 = /^[A-Z][a-z]{2} [ 1-3]\d \d\d:\d\d:\d\d [a-z]+\d [A-Za-z/]+(?:\[\d+\])?: \S.*$/

describe("samples", () => {
  it.each(samples.map(({ name }) => name))("%s is what the script makes", (name) => {
    const committed = readFileSync(join(samplesFolder, name))
    const text = name.endsWith(".gz") ? gunzipSync(committed).toString() : committed.toString()
    expect(text === sample(name).text).toBe(true)
    // Builds of zlib produce different compressed bodies, but the same header: no time, no system.
    if (name.endsWith(".gz")) expect(committed.subarray(0, 10)).toEqual(sampleBytes(sample(name)).subarray(0, 10))
  })

  it("compresses to the same bytes every time, without the time", () => {
    const bytes = sampleBytes(sample("syslog.log.gz"))
    expect(bytes.equals(sampleBytes(sample("syslog.log.gz")))).toBe(true)
    expect(bytes.readUInt32LE(4)).toBe(0)
  })

  it("leaves good files alone and replaces missing, changed and damaged ones", () => {
    const all = samples.map(({ name }) => name)
    expect(writeSamples(scratch, samples)).toEqual(all)
    expect(writeSamples(scratch, samples)).toEqual([])
    writeFileSync(join(scratch, "access-small.log"), "changed\n")
    writeFileSync(join(scratch, "syslog.log.gz"), "damaged")
    rmSync(join(scratch, "access.log.gz"))
    const stale = ["access.log.gz", "access-small.log", "syslog.log.gz"]
    expect(writeSamples(scratch, samples)).toEqual(stale)
    for (const name of stale) expect(readFileSync(join(scratch, name)).equals(sampleBytes(sample(name)))).toBe(true)
  })

  it("has the promised lines, small in git", () => {
    const counts = samples.map(({ name }) => [name, linesOf(name).length])
    expect(counts).toEqual([
      ["access.log.gz", 24_000],
      ["access-small.log", 200],
      ["syslog.log.gz", 10_000],
      ["syslog-small.log", 200]
    ])
    const total = samples.reduce((sum, { name }) => sum + statSync(join(samplesFolder, name)).size, 0)
    expect(total).toBeLessThan(1_500_000)
  })

  it.each([
    ["access.log.gz", combined],
    ["access-small.log", combined],
    ["syslog.log.gz", rfc3164],
    ["syslog-small.log", rfc3164]
  ])("%s has lines of one shape", (name, shape) => {
    expect(linesOf(name).filter((line) => !shape.test(line))).toEqual([])
  })

  it("has what a parser must cope with, and the failures that the pages tell of", () => {
    const lines = linesOf("access.log.gz")
    const some = (pattern: RegExp) => lines.filter((line) => pattern.test(line)).length
    expect(some(/^2001:db8:/)).toBeGreaterThan(1000)
    expect(some(/^\S+ - [a-z]+ \[/)).toBeGreaterThan(100)
    expect(some(/" (?:204|304) - "/)).toBeGreaterThan(1000)
    expect(some(/"\S+ \S+\?\S+ HTTP/)).toBeGreaterThan(1000)
    expect(some(/"-" 408 - "-" "-"$/)).toBeGreaterThan(10)
    const failed = some(/" 5\d\d /)
    expect(readFileSync(join(conf, tenant, "documentation/flowlines.md"), "utf8")).toContain(`the ${failed} requests`)
  })
})

// The package contains no types.
const Hjson: { readonly parse: (text: string) => unknown } = createRequire(import.meta.url)("hjson")

/** The content of a configuration file; the path is relative to the configuration folder. */
const readDocument = (file: string): unknown => {
  const text = readFileSync(join(conf, file), "utf8")
  if (file.endsWith(".json")) return JSON.parse(text)
  return file.endsWith(".hjson") ? Hjson.parse(text) : parseYaml(text)
}
const below = (folder: string) =>
  readdirSync(join(conf, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(conf, join(entry.parentPath, entry.name)))

const flowlineFiles = [
  ...below(join(tenant, "flowlines")),
  ...["parse.yaml", "errors.yaml"].map((name) => join(tenant, "channels/apache", name))
]

describe("configuration", () => {
  it.each(flowlineFiles)("%s is a flowline of existing files and streams", (file) => {
    const { dag } = Schema.decodeUnknownSync(Flowline, { onExcessProperty: "error" })(readDocument(file))
    const published = new Set<string>()
    for (const node of dag) {
      for (const from of node.subscribe) expect(published).toContain(`${from.component}/${from.stream}`)
      for (const { stream } of node.publish) published.add(`${node.component ?? node.type}/${stream}`)
      if (node.type === "file_input") expect(existsSync(join(conf, tenant, String(node.settings["path"])))).toBe(true)
    }
    const taken = new Set(dag.flatMap((node) => node.subscribe.map((from) => `${from.component}/${from.stream}`)))
    expect(taken).toEqual(published)
  })

  const Job = Schema.Struct({
    name: Schema.String,
    runtime: Schema.Literals(["stream", "analytics", "pybatch"]),
    cluster: Schema.String,
    flowline: Schema.String,
    restart: Schema.optionalKey(Schema.Struct({ initial: Schema.String, max: Schema.String, perHour: Schema.Int }))
  })
  const Structure = Schema.Struct({ version: Schema.String, applications: Schema.NonEmptyArray(Job) })
  const structure = (channel: string) => readDocument(join(tenant, "channels", channel, "channel_structure.yaml"))

  it("has one valid channel, of existing flowlines, and one invalid channel", () => {
    const { applications } = Schema.decodeUnknownSync(Structure)(structure("apache"))
    for (const { flowline } of applications)
      expect(existsSync(join(conf, tenant, "channels/apache", flowline))).toBe(true)
    expect(Schema.is(Structure)(structure("broken"))).toBe(false)
  })

  it("masks by paths that exist in the platform's properties", () => {
    const Platform = Schema.Struct({
      platform: Schema.Struct({ platform_id: Schema.Literal("flow-example") }),
      masked: Schema.NonEmptyArray(Schema.String)
    })
    const properties = readDocument("platform.yaml")
    const { masked } = Schema.decodeUnknownSync(Platform)(properties)
    const at = (path: string) =>
      path
        .split(".")
        .reduce<unknown>((value, key) => (value instanceof Object ? Reflect.get(value, key) : value), properties)
    for (const path of masked) expect(at(path)).toEqual(expect.any(String))
  })

  it("has pages that link to pages and pictures that exist", () => {
    const pages = below(".").filter((file) => file.endsWith(".md"))
    const links = pages.flatMap((page) =>
      [...readFileSync(join(conf, page), "utf8").matchAll(/\]\(([^)]+)\)/g)].map(([, to]) =>
        join(dirname(page), `${to}`)
      )
    )
    expect(links).toContain(join(tenant, "documentation/pictures/apache-access.svg"))
    expect(links.filter((link) => !existsSync(join(conf, link)))).toEqual([])
  })

  it("gives the two tenants different content under the same path", () => {
    const patterns = ["mytenant", "othertenant"].map((name) =>
      readFileSync(join(conf, "tenants", name, "patterns/custom"))
    )
    expect(patterns[0]).not.toEqual(patterns[1])
  })
})
