import { execFile } from "node:child_process"
import { readFileSync, rmSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"
import { promisify } from "node:util"
import type { Plugin } from "rolldown"
import { packagePath } from "../src/drivers/Package.ts"

// Bundles the package of the client: for those who have Effect, and as one file for browsers with all it needs; and
// writes its types. `npm ci` runs this, so that the package can be imported in a clone; without the packages for
// development there is none.

const sources = packagePath("packages/client/src")

/** A node of a syntax tree (ESTree). */
interface Node {
  readonly type: string
  readonly start: number
  readonly end: number
}

const isNode = (value: unknown): value is Node => typeof (value as Node | null)?.type === "string"

/**
 * What OpenAPI says of a declaration, and which role it needs. Clients do not need it, and it is a fifth of what they
 * would load.
 */
const prose = /^\.annotate(Merge)?\(\s*(OpenApi\.|SpansSegments|NeededRole)/
/** Annotations of schemas that only OpenAPI uses. */
const described = /^\.annotate\(\{\s*(?:(?:description|examples|identifier|format|\[valueSchema\])\b[\s\S]*)?\}\)$/
const keyed = /^(?:(?:description|examples?): ?["'`{\d[tf]|security: schemes)/

/** Leaves out what the declarations of the interface hold for OpenAPI only. */
const withoutProse: Plugin = {
  name: "without-prose",
  transform: {
    filter: { id: /\/src\/(Api|(errors|services)\/.*)\.ts$/ },
    handler(code) {
      const cuts: Array<readonly [start: number, end: number, instead?: string]> = []
      const visit = (node: Node): void => {
        if (node.type === "CallExpression") {
          const { callee } = node as unknown as { readonly callee: Node & { readonly object?: Node } }
          const call = callee.object === undefined ? "" : code.slice(callee.object.end, node.end).trim()
          if (prose.test(call) || described.test(call)) {
            cuts.push([callee.object!.end, node.end])
            visit(callee.object!)
            return
          }
        }
        if (node.type === "CallExpression") {
          const { callee, arguments: given } = node as unknown as Readonly<Record<"callee", Node>> & {
            readonly arguments: ReadonlyArray<Node>
          }
          // What helpers are told of a parameter or part.
          for (const { start, end } of callee.type === "Identifier" ? given : []) {
            if (/^["'`][\s\S]* [\s\S]*["'`]$/.test(code.slice(start, end))) cuts.push([start, end, '""'])
          }
        }
        if (node.type === "Property" && keyed.test(code.slice(node.start, node.end))) {
          cuts.push([node.start, code[node.end] === "," ? node.end + 1 : node.end])
          return
        }
        for (const value of Object.values(node)) for (const child of [value].flat()) if (isNode(child)) visit(child)
      }
      visit(this.parse(code, { lang: "ts" }) as unknown as Node)
      let kept = ""
      let from = 0
      for (const [start, end, instead = ""] of cuts.sort(([one], [other]) => one - other)) {
        kept += code.slice(from, start) + instead
        from = end
      }
      return kept + code.slice(from)
    }
  }
}

/**
 * Parts of Effect that no client of the gateway uses: bodies of NDJSON, sizes and bytes in schemas, names of statuses,
 * cookies, answers of servers, schemes of security, OpenAPI, and traces, which the promises leave off.
 */
const unused: Plugin = {
  name: "unused",
  load: {
    filter: {
      id: /\/effect\/dist\/(ByteSize|encoding\/(Base64|Hex|Ndjson)|http-api\/(HttpApiSecurity|OpenApi)|http\/(Cookies|HttpServerResponse|HttpStatus|HttpTraceContext|internal\/tracing))\.js$/
    },
    handler: () => ({ code: "export {}", moduleSideEffects: false })
  }
}

/** What Effect says of a declaration that is wrong: the gateway's own are the only ones here, and its tests load them. */
const withoutFaults: Plugin = {
  name: "without-faults",
  transform: {
    filter: { id: /\/effect\/dist\/http-api\/HttpApi(Endpoint|Group|Middleware|Schema)\.js$/ },
    handler: (code) => code.replaceAll(/throw new Error\((?:`[^`]*`|"[^"]*")\)/g, "throw new Error()")
  }
}

/** The light client holds the table of the endpoints as data, in place of the interface that it is made of. */
const tabulated: Plugin = {
  name: "tabulated",
  load: {
    filter: { id: /\/EndpointTable\.ts$/ },
    handler: async () => {
      const { table } = await import("../packages/client/src/EndpointTable.ts")
      return { code: `export const table = ${JSON.stringify(table)}`, moduleType: "js" }
    }
  }
}

const treeshake = {
  propertyReadSideEffects: false as const,
  unknownGlobalSideEffects: false,
  // Declarations that an unused schema is made of.
  manualPureFunctions: [
    "Schema",
    "Context",
    "HttpApiSchema",
    "HttpApiSecurity",
    "OpenApi",
    "Brand",
    "Effect",
    "text",
    "wholeNumber",
    "said",
    "name"
  ]
}

/** Bundles the client into the folder. */
export const bundleClient = async (folder: string): Promise<void> => {
  const { rolldown } = await import("rolldown")
  /** @param whole the name of the file, if it is to hold all that it needs */
  const write = async (names: ReadonlyArray<string>, plugins: ReadonlyArray<Plugin>, whole?: string) => {
    const isWhole = whole !== undefined
    const build = await rolldown({
      input: Object.fromEntries(names.map((name) => [whole ?? name, join(sources, `${name}.ts`)])),
      platform: isWhole ? "browser" : "neutral",
      external: isWhole ? [] : [/^effect(\/|$)/],
      plugins: [withoutProse, ...plugins],
      treeshake,
      shimMissingExports: isWhole,
      logLevel: "silent"
    })
    try {
      await build.write({
        dir: folder,
        format: "esm",
        minify: isWhole,
        comments: !isWhole,
        chunkFileNames: "[name]-[hash].js"
      })
    } finally {
      await build.close()
    }
  }
  await write(["FlowGateway", "promise"], [])
  await write(["promise"], [unused, withoutFaults], "browser")
  await write(["light"], [tabulated], "light")
  await write(["hjson"], [], "hjson")
}

/**
 * Writes the types of the client into the folder, with the descriptions of the interface's fields. They are not checked,
 * which takes most of the time.
 */
export const declareClient = async (folder: string): Promise<void> => {
  const tsc = join(dirname(createRequire(import.meta.url).resolve("typescript/package.json")), "bin/tsc")
  const options = ["--noCheck", "--checkers", "1", "--outDir", join(folder, "types")]
  await promisify(execFile)(process.execPath, [tsc, "-p", packagePath("packages/client"), ...options])
  const [{ Api }, { described }] = await Promise.all([import("../src/Api.ts"), import("./client-descriptions.ts")])
  const file = join(folder, "types/src/Api.d.ts")
  writeFileSync(file, described(readFileSync(file, "utf8"), Api))
}

if (import.meta.main) {
  const folder = packagePath("packages/client/dist")
  rmSync(folder, { recursive: true, force: true })
  try {
    await bundleClient(folder)
    await declareClient(folder)
  } catch (cause) {
    // A gateway needs no client.
    if ((cause as NodeJS.ErrnoException).code !== "ERR_MODULE_NOT_FOUND") throw cause
    console.error(
      "There is no @flow-gateway/client here, as the packages for development are not installed (npm ci --include=dev)"
    )
  }
}
