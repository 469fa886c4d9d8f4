import { Context, Effect, Layer, Stream } from "effect"
import { Blobs } from "../../drivers/blobs/Blobs.ts"
import type { StorageUnreachable } from "../../errors/StorageUnreachable.ts"
import { BoundedMap } from "../../languages/BoundedMap.ts"
import {
  countNames,
  noDefinitions,
  type PatternSource,
  type TenantDefinitions
} from "../../languages/grok/TenantDefinitions.ts"
import { ArtifactStore } from "../artifacts/ArtifactStore.ts"
import { hexDigest } from "../shared/bytes/Sha256Digest.ts"
import type { TenantId } from "../shared/Tenant.ts"
import { type FoundPatterns, maxBytes, maxNames, maxSources, PatternFiles } from "./PatternFiles.ts"

/** A tenant's compiled definitions and the sources that they were made from. */
interface Made {
  readonly own: FoundPatterns
  readonly builds: string
  readonly definitions: TenantDefinitions
}

interface Build {
  readonly name: string
  readonly sha256: string
  readonly size: number
}

const encoder = new TextEncoder()

/** Cache sizes: texts of builds (by tenant and hash), and tenants with compiled definitions. */
const keptBuilds = 128
const keptTenants = 32

/** Drops the sources that exceed the limits. It starts at the end, because later sources take precedence. */
const bounded = (all: ReadonlyArray<PatternSource>): FoundPatterns => {
  const sources: Array<PatternSource> = []
  const leftOut: Array<string> = []
  let bytes = 0
  let names = 0
  for (const source of all.toReversed()) {
    const size = encoder.encode(source.text).length
    const count = countNames(source)
    const reason =
      sources.length >= maxSources
        ? `more than ${maxSources} files`
        : bytes + size > maxBytes
          ? `more than ${maxBytes} bytes`
          : names + count > maxNames
            ? `more than ${maxNames} names`
            : undefined
    if (reason !== undefined) leftOut.push(`${source.name}: the tenant's patterns are ${reason}`)
    else {
      bytes += size
      names += count
      sources.unshift(source)
    }
  }
  return { sources, leftOut }
}

/** The definitions of artifacts, overridden by those of files. */
const joined = Effect.fnUntraced(function* (shared: FoundPatterns, own: FoundPatterns) {
  const { sources, leftOut } = bounded([...shared.sources, ...own.sources])
  const found = { sources, leftOut: [...own.leftOut, ...shared.leftOut, ...leftOut] }
  if (found.sources.length === 0 && found.leftOut.length === 0) return noDefinitions
  return { version: yield* hexDigest(JSON.stringify(found)), ...found }
})

/**
 * The grok patterns of a tenant: artifacts of type `GROK_PATTERNS`, overridden by the files in its `patterns` folder.
 */
export class TenantPatterns extends Context.Service<
  TenantPatterns,
  {
    /** The current definitions; the same object as long as nothing has changed. */
    readonly of: (tenant: TenantId) => Effect.Effect<TenantDefinitions, StorageUnreachable>
  }
>()("flow/operators/TenantPatterns") {
  static readonly layer = Layer.effect(
    TenantPatterns,
    Effect.gen(function* () {
      const files = yield* PatternFiles
      const store = yield* ArtifactStore
      const blobs = yield* Blobs
      const builds = new BoundedMap<string, string | undefined>(keptBuilds)
      const tenants = new BoundedMap<string, Made>(keptTenants)

      const listed = (tenant: TenantId) =>
        Effect.map(store.builds(tenant, "GROK_PATTERNS", maxSources + 1), (builds) =>
          builds.map(
            ({ group, artifact, version, sha256, size }): Build => ({
              name: `${group}:${artifact}:${version}`,
              sha256,
              size
            })
          )
        )

      /** The text of the build; undefined when it is not UTF-8. */
      const textOf = Effect.fnUntraced(function* (tenant: TenantId, { sha256 }: Build) {
        const key = `${tenant}/${sha256}`
        if (builds.has(key)) return builds.get(key)
        const decoder = new TextDecoder("utf-8", { fatal: true })
        const chunks = yield* Stream.runCollect(yield* blobs.read(tenant, sha256))
        let text: string | undefined
        try {
          text = chunks.map((chunk) => decoder.decode(chunk, { stream: true })).join("") + decoder.decode()
        } catch {
          text = undefined
        }
        builds.set(key, text)
        return text
      })

      const artifacts = Effect.fnUntraced(function* (tenant: TenantId, found: ReadonlyArray<Build>) {
        const sources: Array<PatternSource> = []
        const leftOut: Array<string> = []
        const last = found[maxSources - 1]
        if (found.length > maxSources && last !== undefined) {
          leftOut.push(`artifacts after ${last.name}: there are more than ${maxSources}`)
        }
        for (const build of found.slice(0, maxSources)) {
          const text = build.size > maxBytes ? undefined : yield* textOf(tenant, build)
          if (text !== undefined) sources.push({ name: build.name, text })
          else {
            const why = build.size > maxBytes ? `it is larger than ${maxBytes} bytes` : "it is not UTF-8"
            leftOut.push(`${build.name}: ${why}`)
          }
        }
        return { sources, leftOut }
      })

      return TenantPatterns.of({
        of: Effect.fn("TenantPatterns.of")(function* (tenant) {
          const own = yield* files.read(tenant)
          const found = yield* listed(tenant)
          const made = tenants.get(tenant)
          const builds = JSON.stringify(found)
          if (made?.own === own && made.builds === builds) return made.definitions
          const definitions = yield* joined(yield* artifacts(tenant, found), own)
          tenants.set(tenant, { own, builds, definitions })
          return definitions
        })
      })
    })
  )
}
