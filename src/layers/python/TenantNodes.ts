import { stat } from "node:fs/promises"
import { join } from "node:path"
import { text } from "node:stream/consumers"
import { Effect, Layer } from "effect"
import { StorageUnreachable } from "../../errors/StorageUnreachable.ts"
import { catalogue } from "../../services/nodes/Catalogue.ts"
import { chosen, errors } from "../../services/nodes/Node.ts"
import type { NodeDescriptor } from "../../services/scan/Descriptor.ts"
import { nothingScanned } from "../../services/scan/OwnNodes.ts"
import { TenantNodes } from "../../services/scan/TenantNodes.ts"
import { Settings } from "../../services/shared/Settings.ts"
import { TenantFiles } from "../engines/child/TenantFiles.ts"
import { within } from "../files/Deadline.ts"
import { findPython, noPython } from "./Interpreter.ts"
import { type Found, scanFiles } from "./Scanner.ts"

const pattern = "nodes/*.py"
/** A larger file is no node. */
const maxFileBytes = 1024 * 1024
const maxFiles = 1000
/** Milliseconds for which the answer holds whether this machine has Python. */
const pythonFor = 60_000

const broken = (path: string, error: { readonly message: string; readonly line?: number }): NodeDescriptor => ({
  type: path,
  runtimes: ["pybatch"],
  source: path,
  error
})

/** The descriptors of what was found in a file; `taken` has the types that exist already, with where they come from. */
const describe = (path: string, found: Found, taken: Map<string, string>): ReadonlyArray<NodeDescriptor> => {
  if ("error" in found) return [broken(path, found.error)]
  return found.nodes.map(({ type, description, settings, line }): NodeDescriptor => {
    const other = catalogue.has(type) ? "the catalogue" : taken.get(type)
    if (other !== undefined) return broken(path, { message: `${type} is a node of ${other} already`, line })
    taken.set(type, path)
    return {
      type,
      kind: "processing",
      description,
      runtimes: ["pybatch"],
      settings,
      inputs: { min: 1, max: 100 },
      outputs: [chosen, errors],
      source: path
    }
  })
}

/** The Python nodes in the `nodes/` folder of a tenant's configuration. */
export const layer = Layer.effect(
  TenantNodes,
  Effect.map(Settings, ({ conf, storageDeadline }) => {
    let python: { readonly found: ReturnType<typeof findPython>; readonly at: number } | undefined
    const interpreter = () => {
      const now = performance.now()
      if (python === undefined || now - python.at > pythonFor) python = { found: findPython(), at: now }
      return python.found
    }
    const files = (tenant: string) => new TenantFiles(join(conf, "tenants", tenant))
    const reading = <A>(work: () => Promise<A>) =>
      Effect.tryPromise({ try: work, catch: () => new StorageUnreachable({ storage: "data" }) })

    const listed = async (tenant: string) => {
      const paths = (await files(tenant).glob(pattern)).filter((path) => !path.startsWith("nodes/_"))
      return Promise.all(
        paths.slice(0, maxFiles).map(async (path) => {
          const at = await stat(join(conf, "tenants", tenant, path), { bigint: true }).catch(() => undefined)
          return {
            path,
            size: Number(at?.size ?? 0),
            version: `${path} ${at?.ino} ${at?.size} ${at?.mtimeNs} ${at?.ctimeNs}`
          }
        })
      )
    }

    return TenantNodes.of({
      version: Effect.fn("TenantNodes.version")((tenant) =>
        reading(async () => {
          const found = await within(storageDeadline, listed(tenant))
          return [(await interpreter())?.version ?? "", ...found.map(({ version }) => version)].join("\n")
        })
      ),
      scan: Effect.fn("TenantNodes.scan")((tenant) =>
        reading(async () => {
          const found = await within(storageDeadline, listed(tenant))
          const python = await interpreter()
          if (python === undefined) {
            return [
              {
                type: nothingScanned,
                runtimes: ["pybatch" as const],
                source: nothingScanned,
                error: { message: noPython }
              }
            ]
          }
          const large = found.filter(({ size }) => size > maxFileBytes)
          const small = found.filter(({ size }) => size <= maxFileBytes)
          const texts = await within(
            storageDeadline,
            Promise.all(small.map(async ({ path }) => [path, await text(files(tenant).read(path))] as const))
          )
          const taken = new Map<string, string>()
          const nodes = (await scanFiles(python, texts)).flatMap((found, at) => describe(texts[at]![0], found, taken))
          return [
            ...nodes,
            ...large.map(({ path }) => broken(path, { message: `the file is larger than ${maxFileBytes} bytes` }))
          ]
        })
      )
    })
  })
)
