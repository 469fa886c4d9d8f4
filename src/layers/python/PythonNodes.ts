import { stat } from "node:fs/promises"
import { join } from "node:path"
import { text } from "node:stream/consumers"
import { Effect, Layer, Stream } from "effect"
import { Blobs } from "../../drivers/blobs/Blobs.ts"
import { within } from "../../drivers/files/Deadline.ts"
import { TenantFiles } from "../../drivers/files/TenantFiles.ts"
import { noPython } from "../../drivers/python/Interpreter.ts"
import { StorageUnreachable } from "../../errors/StorageUnreachable.ts"
import { catalogue } from "../../nodes/Catalogue.ts"
import { chosen, errors } from "../../nodes/Node.ts"
import { ArtifactStore } from "../../services/artifacts/ArtifactStore.ts"
import type { NodeDescriptor } from "../../services/scan/Descriptor.ts"
import { nothingScanned } from "../../services/scan/OwnNodes.ts"
import { TenantNodes } from "../../services/scan/TenantNodes.ts"
import { Settings } from "../../services/shared/settings/Settings.ts"
import type { TenantId } from "../../services/shared/Tenant.ts"
import { PythonPlaces } from "./PythonPlaces.ts"
import { type Found, scanFiles } from "./Scanner.ts"

const pattern = "nodes/*.py"
/** Larger files are not scanned. */
const maxFileBytes = 1024 * 1024
const maxFiles = 1000
/** Maximum total size of a tenant's node artifacts in bytes. */
const maxBytes = 8 * 1024 * 1024

const broken = (path: string, error: { readonly message: string; readonly line?: number }): NodeDescriptor => ({
  type: path,
  runtimes: ["pybatch"],
  source: path,
  error
})

/** The descriptors of the nodes in a file. `taken` maps existing types to their origin. */
const describe = (path: string, found: Found, taken: Map<string, string>): ReadonlyArray<NodeDescriptor> => {
  if ("error" in found) return [broken(path, found.error)]
  return found.nodes.map(({ type, description, settings, line }): NodeDescriptor => {
    const other = catalogue.has(type) ? "the catalogue" : taken.get(type)
    if (other !== undefined) return broken(path, { message: `${type} is already a node of ${other}`, line })
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

/** The Python nodes in the `nodes/` folder of a tenant's configuration, then those among its artifacts. */
export const layer = Layer.effect(
  TenantNodes,
  Effect.gen(function* () {
    const { conf, storageDeadline } = yield* Settings
    const store = yield* ArtifactStore
    const blobs = yield* Blobs
    const { place, scratch } = yield* PythonPlaces
    const files = (tenant: TenantId) => new TenantFiles(join(conf, "tenants", tenant))
    const reading = <A>(work: (signal: AbortSignal) => Promise<A>) =>
      Effect.tryPromise({ try: work, catch: () => new StorageUnreachable({ storage: "data" }) })

    const listed = async (tenant: TenantId) => {
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

    const artifacts = (tenant: TenantId) =>
      Effect.map(store.builds(tenant, "PYTHON_NODE", maxFiles), (builds) =>
        builds.map(({ group, artifact, version, sha256, size }) => ({
          name: `PYTHON_NODE:${group}:${artifact}:${version}`,
          sha256,
          size
        }))
      )
    const sources = Effect.fn("TenantNodes.files")(function* (tenant: TenantId) {
      const small = (yield* artifacts(tenant)).filter(({ size }) => size <= maxFileBytes)
      const before = (at: number) => small.slice(0, at).reduce((sum, { size }) => sum + size, 0)
      const chosen = small.filter(({ size }, at) => before(at) + size <= maxBytes)
      return yield* Effect.forEach(chosen, ({ name, sha256 }) =>
        Effect.flatMap(blobs.read(tenant, sha256), (bytes) =>
          Effect.map(Stream.mkString(Stream.decodeText(bytes)), (source) => [name, source] as const)
        )
      )
    })

    return TenantNodes.of({
      files: sources,
      version: Effect.fn("TenantNodes.version")(function* (tenant) {
        const builds = yield* artifacts(tenant)
        const found = yield* reading(() => within(storageDeadline, listed(tenant)))
        const { interpreter, refusal } = yield* reading(() => place())
        const versions = [...found.map(({ version }) => version), ...builds.map(({ name, sha256 }) => name + sha256)]
        return [refusal ?? interpreter?.version ?? "", ...versions].join("\n")
      }),
      scan: Effect.fn("TenantNodes.scan")(function* (tenant) {
        const builds = yield* sources(tenant)
        return yield* reading(async (signal) => {
          const found = await within(storageDeadline, listed(tenant))
          const { interpreter, isolation, refusal } = await place()
          if (interpreter === undefined || refusal !== undefined) {
            const error = { message: refusal ?? noPython }
            const nothing = { type: nothingScanned, runtimes: ["pybatch" as const], source: nothingScanned, error }
            return { nodes: [nothing], isSettled: false }
          }
          const large = found.filter(({ size }) => size > maxFileBytes)
          const small = found.filter(({ size }) => size <= maxFileBytes)
          const read = small.map(async ({ path }) => [path, await text(files(tenant).read(path))] as const)
          const texts = [...(await within(storageDeadline, Promise.all(read))), ...builds]
          const taken = new Map<string, string>()
          const { found: scanned, isSettled } = await scanFiles(
            { interpreter, isolation, root: scratch },
            texts,
            signal
          )
          const nodes = scanned.flatMap((it, at) => describe(texts[at]![0], it, taken))
          const tooLarge = { message: `the file is larger than ${maxFileBytes} bytes` }
          return { nodes: [...nodes, ...large.map(({ path }) => broken(path, tooLarge))], isSettled }
        })
      })
    })
  })
)
