import { access, constants, stat } from "node:fs/promises"
import { join } from "node:path"
import { Effect, Layer } from "effect"
import { codeOf, Failure } from "../../drivers/Failure.ts"
import { DeadlinePassed, oneAtATime } from "../../drivers/files/Deadline.ts"
import { isAbsent } from "../../drivers/files/OpenInside.ts"
import { TenantFiles } from "../../drivers/files/TenantFiles.ts"
import { StorageUnreachable } from "../../errors/StorageUnreachable.ts"
import { ownRoots, placeOf } from "../../protocol/Roots.ts"
import { TenantRules } from "../../services/limits/TenantRules.ts"
import type { FoundFile } from "../../services/schedules/ScheduleStore.ts"
import { type Look, mostWatched, TenantFolders } from "../../services/schedules/TenantFolders.ts"
import { rootFault } from "../../services/shared/settings/RootRules.ts"
import { dataRoot, Settings } from "../../services/shared/settings/Settings.ts"
import type { TenantId } from "../../services/shared/Tenant.ts"

const filesAtOnce = 64

/** A folder to look in: the tenant's own, which may not exist yet in the folder of all tenants, or one of a root. */
interface Folder {
  readonly root: string
  readonly path: string
  readonly own: { readonly all: string } | undefined
}

/**
 * Whether the folder exists. Fails when that cannot be told. Only a tenant's own folder may be absent: a root without
 * its folder is a failure.
 */
const probe = async ({ root, path, own }: Folder): Promise<boolean> => {
  try {
    if (!(await stat(path)).isDirectory()) throw new Failure(`The folder of ${placeOf(root)} is a file`)
    if (own === undefined) await access(path, constants.R_OK | constants.X_OK)
    return true
  } catch (error) {
    if (own !== undefined) {
      // Without the folder of all tenants, nothing is known of this one.
      if (!isAbsent(error) || !(await stat(own.all)).isDirectory()) throw error
      return false
    }
    const code = codeOf(error)
    if (error instanceof Failure || code === undefined) throw error
    const folder = `the folder of ${placeOf(root)}`
    throw new Failure(
      code === "ENOENT" || code === "ENOTDIR"
        ? `The folder of ${placeOf(root)} does not exist on the gateway's machine`
        : code === "EACCES" || code === "EPERM"
          ? `The gateway's user may not read ${folder}`
          : `The gateway cannot read ${folder}: ${code}`
    )
  }
}

const filesIn = async ({ root, path: folder }: Folder, pattern: string): Promise<Look> => {
  const files = new TenantFiles(folder, root)
  const { paths, odd, unreadable } = await files.watched(pattern)
  if (paths.length + odd.length > mostWatched) {
    const many = `${JSON.stringify(pattern)} names more than ${mostWatched} files in ${placeOf(root)}`
    throw new Failure(`${many}: watch a narrower path, or name the \`root\` that is meant`)
  }
  const found: Array<FoundFile> = []
  const all = [
    ...paths.map((path) => ({ path, real: () => files.real(path) })),
    ...odd.map(({ shown, at }) => ({ path: shown, real: async () => at }))
  ]
  for (let start = 0; start < all.length; start += filesAtOnce) {
    const some = all.slice(start, start + filesAtOnce).map(async ({ path, real: find }) => {
      const real = await find()
      const at = real === undefined ? undefined : await stat(real, { bigint: true }).catch(() => undefined)
      // Without the device number, which changes when a share is mounted again.
      return at?.isFile() === true ? [{ path, version: [at.ino, at.size, at.mtimeNs].join("-") }] : []
    })
    found.push(...(await Promise.all(some)).flat())
  }
  const [first] = unreadable
  const fault =
    first === undefined
      ? undefined
      : `The gateway's user may not read ${JSON.stringify(first)} of ${placeOf(root)}: make it readable, or watch another path`
  return { files: found, fault }
}

/** Merges what was found in several folders. A file of the first one hides those with its path in the others. */
const together = (looks: ReadonlyArray<Look>): Look => {
  const files = new Map<string, FoundFile>()
  for (const look of looks) for (const file of look.files ?? []) if (!files.has(file.path)) files.set(file.path, file)
  return { files: [...files.values()], fault: looks.find(({ fault }) => fault !== undefined)?.fault }
}

/** The tenants' own folders and the roots, in which `file_input` reads. */
export const layer = Layer.effect(
  TenantFolders,
  Effect.gen(function* () {
    const settings = yield* Settings
    const rules = yield* TenantRules
    const probes = oneAtATime<boolean>(settings.storageDeadline)
    const looks = oneAtATime<Look>(settings.storageDeadline)
    const [conf, data] = [join(settings.conf, "tenants"), dataRoot(settings)]

    const foldersOf = (tenant: TenantId, root: string | undefined): ReadonlyArray<Folder> => {
      const own = [
        { root: ownRoots.conf, path: join(conf, tenant), own: { all: settings.conf } },
        { root: ownRoots.data, path: join(data, tenant, "data"), own: { all: data } }
      ]
      if (root === undefined) return own
      const known = own.find((folder) => folder.root === root)
      if (known !== undefined) return [known]
      const roots = rules.rootsOf(tenant)
      const fault = rootFault({ name: root, writes: false }, roots)
      const path = Object.hasOwn(roots, root) ? roots[root]?.path : undefined
      if (fault !== undefined || path === undefined) throw new Failure(fault ?? `There is no root "${root}"`)
      return [{ root, path, own: undefined }]
    }

    const look = async (folder: Folder, pattern: string): Promise<Look> => {
      try {
        if (!(await probes(folder.path, () => probe(folder)))) return { files: [], fault: undefined }
        return await looks(`${folder.path}\n${pattern}`, () => filesIn(folder, pattern))
      } catch (error) {
        if (folder.own !== undefined || !(error instanceof DeadlinePassed)) throw error
        throw new Failure(`The folder of ${placeOf(folder.root)} does not answer in time`)
      }
    }

    const lookAt = async (tenant: TenantId, root: string | undefined, path: string): Promise<Look> => {
      try {
        const folders = foldersOf(tenant, root)
        return together(await Promise.all(folders.map((folder) => look(folder, path))))
      } catch (error) {
        if (error instanceof Failure) return { files: undefined, fault: error.message }
        throw error
      }
    }

    return TenantFolders.of({
      look: Effect.fn("TenantFolders.look")((tenant, { root, path }) =>
        Effect.tryPromise({
          try: () => lookAt(tenant, root, path),
          catch: () => new StorageUnreachable({ storage: "data" })
        })
      )
    })
  })
)
