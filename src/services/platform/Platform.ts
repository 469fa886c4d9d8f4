import { Context, Effect, Layer, Predicate } from "effect"
import type { StorageUnreachable } from "../../errors/StorageUnreachable.ts"
import { Settings } from "../shared/settings/Settings.ts"
import type { TenantId } from "../shared/Tenant.ts"

const mask = "********"
const secretWords = /password|passwd|secret|token|credential|api_?key|private_key|access_key/i

/**
 * Replaces the secrets of a configuration: every value whose key names a secret, and every dotted path in `masked`. All
 * other values are kept unchanged.
 */
const maskSecrets = (properties: unknown, masked: ReadonlyArray<string>): unknown => {
  const paths = new Set(masked)
  const walk = (value: unknown, path: string): unknown => {
    if (Array.isArray(value)) return value.map((item, index) => walkEntry(String(index), item, path))
    if (!Predicate.isObject(value)) return value
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, walkEntry(key, item, path)]))
  }
  const walkEntry = (key: string, value: unknown, parent: string): unknown => {
    const path = parent === "" ? key : `${parent}.${key}`
    return secretWords.test(key) || paths.has(path) ? mask : walk(value, path)
  }
  return walk(properties, "")
}

/**
 * The source of the platform's properties: `platform.yaml`, `.hjson` or `.json` in the configuration folder, parsed.
 */
export class PlatformFile extends Context.Service<
  PlatformFile,
  { readonly read: Effect.Effect<Record<string, unknown> | undefined, StorageUnreachable> }
>()("flow/platform/PlatformFile") {}

const standalone = { platform: { platform_id: "flow-standalone" } }

const strings = (value: unknown): ReadonlyArray<string> =>
  Array.isArray(value) ? value.filter((item) => typeof item === "string") : []

export class Platform extends Context.Service<
  Platform,
  {
    /** The properties, with secrets masked. */
    readonly properties: Effect.Effect<Record<string, unknown>, StorageUnreachable>
    /** `platform.platform_id`, which is stored with saved flowlines. */
    readonly platformId: Effect.Effect<string, StorageUnreachable>
    readonly tenant: Effect.Effect<{ readonly tenant: TenantId }>
  }
>()("flow/platform/Platform") {
  static readonly layer = Layer.effect(
    Platform,
    Effect.gen(function* () {
      const file = yield* PlatformFile
      const { defaultTenant } = yield* Settings
      const read = Effect.map(file.read, (properties) => properties ?? standalone)
      return Platform.of({
        properties: Effect.map(read, (properties: Record<string, unknown>) => {
          const masked = maskSecrets(properties, strings(properties.masked))
          return Predicate.isObject(masked) ? { ...masked } : {}
        }),
        platformId: Effect.map(read, ({ platform }: Record<string, unknown>) =>
          Predicate.hasProperty(platform, "platform_id") && typeof platform.platform_id === "string"
            ? platform.platform_id
            : standalone.platform.platform_id
        ),
        tenant: Effect.succeed({ tenant: defaultTenant })
      })
    })
  )
}
