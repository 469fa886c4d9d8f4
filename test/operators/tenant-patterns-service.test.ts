import { expect, it } from "@effect/vitest"
import { Effect, Layer, Stream } from "effect"
import { Blobs } from "../../src/drivers/blobs/Blobs.ts"
import { StorageUnreachable } from "../../src/errors/StorageUnreachable.ts"
import { ArtifactName, ArtifactVersion, GroupName } from "../../src/services/artifacts/Artifact.ts"
import { ArtifactStore } from "../../src/services/artifacts/ArtifactStore.ts"
import { type FoundPatterns, PatternFiles } from "../../src/services/operators/PatternFiles.ts"
import { TenantPatterns } from "../../src/services/operators/TenantPatterns.ts"
import { TenantId } from "../../src/services/shared/Tenant.ts"

/** Files and artifacts that a test can change. */
const stores = () => {
  const state = {
    files: { sources: [], leftOut: [] } as FoundPatterns,
    artifacts: new Map<string, string>(),
    down: false,
    reads: 0
  }
  const layer = TenantPatterns.layer.pipe(
    Layer.provide(
      Layer.mergeAll(
        Layer.mock(PatternFiles)({ read: () => Effect.sync(() => state.files) }),
        Layer.mock(ArtifactStore)({
          builds: () =>
            state.down
              ? Effect.fail(new StorageUnreachable({ storage: "metadata" }))
              : Effect.sync(() =>
                  Array.from(state.artifacts, ([artifact, text]) => ({
                    group: GroupName("g"),
                    artifact: ArtifactName(artifact),
                    version: ArtifactVersion("1"),
                    sha256: text,
                    size: text.length
                  }))
                )
        }),
        Layer.mock(Blobs)({
          backend: "test",
          url: () => "",
          read: (_, sha256) =>
            Effect.sync(() => {
              state.reads++
              return Stream.make(new TextEncoder().encode(sha256))
            })
        })
      )
    )
  )
  return { state, layer }
}

it.effect("the definitions of a tenant are one object until they change", () => {
  const { state, layer } = stores()
  return Effect.gen(function* () {
    const patterns = yield* TenantPatterns
    const first = yield* patterns.of(TenantId("a"))
    expect(first).toEqual({ version: "", sources: [], leftOut: [] })
    state.artifacts.set("x", "A a").set("y", "A b")
    state.files = { sources: [{ name: "patterns/f", text: "A c" }], leftOut: ["patterns/z: no"] }
    const second = yield* patterns.of(TenantId("a"))
    expect(second.sources.map(({ name }) => name)).toEqual(["g:x:1", "g:y:1", "patterns/f"])
    expect(second.leftOut).toEqual(["patterns/z: no"])
    expect(yield* patterns.of(TenantId("a"))).toBe(second)
    expect(state.reads).toBe(2)
    state.artifacts.set("y", "A d")
    const third = yield* patterns.of(TenantId("a"))
    expect(third.version).not.toBe(second.version)
    expect(state.reads).toBe(3)
    // The same content has the same version again, so the compiled patterns are reused.
    state.artifacts.set("y", "A b")
    expect((yield* patterns.of(TenantId("a"))).version).toBe(second.version)
  }).pipe(Effect.provide(layer))
})

it.effect("a storage that is away is not an empty one", () => {
  const { state, layer } = stores()
  return Effect.gen(function* () {
    const patterns = yield* TenantPatterns
    yield* patterns.of(TenantId("a"))
    state.down = true
    const failure = yield* Effect.flip(patterns.of(TenantId("a")))
    expect(failure).toMatchObject({ _tag: "StorageUnreachable", storage: "metadata" })
    state.down = false
    expect((yield* patterns.of(TenantId("a"))).sources).toEqual([])
  }).pipe(Effect.provide(layer))
})

it.effect("more than a tenant may have is left out, the least wanted first", () => {
  const { state, layer } = stores()
  return Effect.gen(function* () {
    const patterns = yield* TenantPatterns
    for (let index = 0; index < 3; index++) state.artifacts.set(`a${index}`, `A${index} ${"x".repeat(400_000)}`)
    state.files = { sources: [{ name: "patterns/f", text: `F ${"x".repeat(400_000)}` }], leftOut: [] }
    const { sources, leftOut } = yield* patterns.of(TenantId("a"))
    expect(sources.map(({ name }) => name)).toEqual(["g:a2:1", "patterns/f"])
    expect(leftOut).toEqual([
      "g:a1:1: the tenant's patterns are more than 1048576 bytes",
      "g:a0:1: the tenant's patterns are more than 1048576 bytes"
    ])
  }).pipe(Effect.provide(layer))
})

it.effect("of more artifacts than a tenant may have the first ones count", () => {
  const { state, layer } = stores()
  return Effect.gen(function* () {
    const patterns = yield* TenantPatterns
    for (let index = 100; index < 165; index++) state.artifacts.set(`a${index}`, `A${index} x`)
    const { sources, leftOut } = yield* patterns.of(TenantId("a"))
    expect([sources.length, sources[0]?.name, sources.at(-1)?.name]).toEqual([64, "g:a100:1", "g:a163:1"])
    expect(leftOut).toEqual(["artifacts after g:a163:1: there are more than 64"])
  }).pipe(Effect.provide(layer))
})
