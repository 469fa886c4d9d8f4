import { Failure } from "../../drivers/Failure.ts"
import { TenantFiles } from "../../drivers/files/TenantFiles.ts"
import { once } from "../../drivers/Once.ts"
import { Outbound } from "../../drivers/Outbound.ts"
import { isGlob } from "../../languages/Glob.ts"
import { listed } from "../../languages/Suggest.ts"
import type { InputFiles, OpenFile, Storage } from "../../nodes/ports/NodeFiles.ts"
import type { Growth } from "../../nodes/ports/Position.ts"
import { ownRoots, placeOf } from "../../protocol/Roots.ts"
import type { Order } from "../../protocol/RunProtocol.ts"
import type { StoredFiles } from "./StoredFiles.ts"

/** The part of an order that says where a run reads files. */
export type SourceOrder = Pick<Order, "conf" | "data" | "roots" | "scratch" | "fileBytes" | "outbound" | "ownPorts"> & {
  readonly spec: Pick<Order["spec"], "rootNames">
}

/** The files of a folder, which can be read at any offset and followed. */
interface FolderFiles {
  readonly glob: (pattern: string) => Promise<ReadonlyArray<string>>
  readonly read: (path: string) => AsyncIterable<Uint8Array>
  readonly openFile: (path: string) => Promise<OpenFile>
  readonly versionOf: (pattern: string) => Promise<string>
  /** The root that a node follows, which is the one of the saved position if there is one. */
  readonly followed: (pattern: string, saved: string | undefined) => Promise<TenantFiles>
}

const inRoot = (files: TenantFiles): FolderFiles => ({
  glob: (pattern) => files.glob(pattern),
  read: (path) => files.read(path),
  openFile: (path) => files.openFile(path),
  versionOf: (pattern) => files.versionOf(pattern),
  followed: async () => files
})

/**
 * The files of the tenant's configuration folder and, where nothing matches there, of its data area: what a run writes,
 * the next one reads by the same name.
 */
const inConfOrData = (conf: TenantFiles, data: TenantFiles, rootNames: ReadonlyArray<string>): FolderFiles => {
  /** The root in which the pattern names files, and these. */
  const matching = async (pattern: string) => {
    for (const files of [conf, data]) {
      const paths = await files.found(pattern)
      if (paths.length > 0) return { files, paths }
    }
    return undefined
  }
  const missing = async (path: string): Promise<Failure> => {
    for (const files of [conf, data]) {
      await files.refuseOutside(path)
      // A folder of this name gets its own message, from `open`.
      if ((await files.real(path)) !== undefined) await files.open(path).then((handle) => handle.close())
    }
    const near = (await conf.near(path)) || (await data.near(path))
    const roots = rootNames.length === 0 ? "" : `; files elsewhere need a root: ${listed(rootNames)}`
    const places = `${placeOf(ownRoots.conf)} or its data area`
    return new Failure(`The file "${path}" does not exist in ${places}${near}${near === "" ? roots : ""}`)
  }
  /** The root of a file, whose name may have wildcards in it. */
  const of = async (path: string): Promise<TenantFiles> => {
    for (const files of [conf, data]) if ((await files.real(path)) !== undefined) return files
    throw await missing(path)
  }
  return {
    glob: async (pattern) => {
      const found = await matching(pattern)
      if (found === undefined && !isGlob(pattern)) throw await missing(pattern)
      return found?.paths ?? []
    },
    read: async function* (path) {
      yield* (await of(path)).read(path)
    },
    openFile: async (path) => (await of(path)).openFile(path),
    versionOf: async (pattern) => (await of(pattern)).versionOf(pattern),
    followed: async (pattern, saved) =>
      [conf, data].find(({ name }) => name === saved) ?? (await matching(pattern))?.files ?? conf
  }
}

/** Where a run reads files: its tenant's folders, the roots of the order, and S3 storages. */
export class Sources {
  readonly #order: SourceOrder
  readonly #stored: StoredFiles
  readonly #signal: AbortSignal
  readonly #conf: TenantFiles
  readonly #data: TenantFiles

  constructor(order: SourceOrder, stored: StoredFiles, signal: AbortSignal) {
    this.#order = order
    this.#stored = stored
    this.#signal = signal
    this.#conf = new TenantFiles(order.conf, ownRoots.conf)
    this.#data = new TenantFiles(order.data, ownRoots.data)
  }

  /** The files of the tenant. */
  own(): InputFiles {
    return this.#withRecords(inConfOrData(this.#conf, this.#data, this.#order.spec.rootNames ?? []))
  }

  in({ root, s3 }: Storage): InputFiles {
    if (s3 !== undefined) return this.#objects(s3)
    if (root === undefined) return this.own()
    return this.#withRecords(inRoot(this.#root(root)))
  }

  #root(name: string): TenantFiles {
    if (name === ownRoots.conf) return this.#conf
    if (name === ownRoots.data) return this.#data
    const { roots, spec } = this.#order
    const root = Object.hasOwn(roots, name) ? roots[name] : undefined
    if (root !== undefined) return new TenantFiles(root.path, name)
    throw new Failure(
      `There is no root "${name}": there is ${listed([...(spec.rootNames ?? []), ...Object.values(ownRoots)])}`
    )
  }

  #withRecords({ followed, ...files }: FolderFiles): InputFiles {
    const [stored, signal, { scratch, fileBytes }] = [this.#stored, this.#signal, this.#order]
    // Few runs read Parquet or follow files, so these modules are loaded on first use.
    return {
      ...files,
      parquet: async function* (source) {
        yield* (await import("./Parquet.ts")).parquet(source, { files, stored, scratch, fileBytes })
      },
      tail: async function* (pattern, position, how): AsyncGenerator<Growth> {
        const { savedRoot, Tail } = await import("./tail/Tail.ts")
        yield* new Tail(pattern, await followed(pattern, savedRoot(position)), position, how, signal).run()
      }
    }
  }

  #objects(access: NonNullable<Storage["s3"]>): InputFiles {
    const [stored, signal, { scratch, fileBytes, outbound }] = [this.#stored, this.#signal, this.#order]
    const objects = once(async () => {
      const { ObjectFiles } = await import("../../drivers/objects/ObjectFiles.ts")
      return new ObjectFiles(access, new Outbound(outbound), signal)
    })
    const read = async function* (path: string) {
      yield* (await objects()).read(path)
    }
    return {
      glob: async (pattern) => (await objects()).glob(pattern),
      read,
      parquet: async function* (source) {
        yield* (await import("./Parquet.ts")).parquet(source, { files: { read }, stored, scratch, fileBytes })
      },
      tail: () => {
        throw new Failure("Objects of an S3 storage do not grow: they cannot be followed")
      }
    }
  }
}
