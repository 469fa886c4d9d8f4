import { readdir } from "node:fs/promises"
import { dirname, join, resolve } from "node:path"
import { Effect, Layer, Redacted } from "effect"
import { isAbsent } from "../../drivers/files/OpenInside.ts"
import { secretBytes, secretName } from "../../protocol/Secrets.ts"
import { AccessRules } from "../../services/access/AccessRules.ts"
import { ConfiguredSecrets } from "../../services/secrets/ConfiguredSecrets.ts"
import { type SecretSource, UnusableSecret } from "../../services/secrets/SecretSource.ts"
import { Settings } from "../../services/shared/settings/Settings.ts"
import type { TenantId } from "../../services/shared/Tenant.ts"
import { failureText, readSmallFile, readSmallFileInside, type SmallFile, type SmallFileFailure } from "./SmallFile.ts"

const unusable = (detail: string) => new UnusableSecret({ detail })

/** A file may have one byte more for each of the characters of its last line break, which is no part of the secret. */
const mostBytes = secretBytes + 2

const textOf = (what: string, bytes: Uint8Array): Effect.Effect<Redacted.Redacted<string>, UnusableSecret> =>
  Effect.suspend(() => {
    let text: string
    try {
      text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes).replace(/\r?\n$/, "")
    } catch {
      return unusable(`${what} is not text in UTF-8`)
    }
    if (text === "") return unusable(`${what} is empty`)
    if (new TextEncoder().encode(text).length > secretBytes)
      return unusable(`${what} has more than ${secretBytes} bytes`)
    return Effect.succeed(Redacted.make(text))
  })

const fileOf = (what: string, read: () => Promise<SmallFile | SmallFileFailure>) =>
  Effect.gen(function* () {
    const file = yield* Effect.tryPromise({
      try: read,
      catch: (error) =>
        unusable(`${what} cannot be read: ${error instanceof Error && "code" in error ? error.code : "an error"}`)
    })
    if (file === "missing") return undefined
    if (typeof file === "string") return yield* unusable(`${what} ${failureText(file, secretBytes)}`)
    return yield* textOf(what, file.bytes)
  })

/** The files `<root>/<tenant>/<NAME>`. */
const inFolder = (root: string): SecretSource => ({
  where: (tenant) => `in the folder of secrets, ${join(root, tenant)}`,
  names: (tenant) =>
    Effect.tryPromise(() => readdir(join(root, tenant))).pipe(
      Effect.catch(({ cause }) =>
        isAbsent(cause)
          ? Effect.succeed([])
          : Effect.as(Effect.logWarning(`${join(root, tenant)} cannot be listed`, cause), [])
      ),
      Effect.map((names) => names.filter((name) => secretName.test(name)))
    ),
  // The tenant's folder may be a link, as in a volume of Kubernetes, but must not lead out of the root.
  read: (tenant, name) =>
    fileOf(`the secret ${name} in the folder of secrets`, () =>
      readSmallFileInside(root, join(tenant, name), mostBytes)
    )
})

/** The value of a variable of the environment, or of a file by its path from `folder`. */
const readSource = Effect.fnUntraced(function* (
  source: { readonly env: string } | { readonly file: string },
  what: string,
  folder: string
) {
  if ("env" in source) {
    const value = process.env[source.env]
    if (value === undefined) return yield* unusable(`the environment of the gateway has no ${source.env} for ${what}`)
    return yield* textOf(`the environment variable ${source.env} for ${what}`, new TextEncoder().encode(value))
  }
  const path = resolve(folder, source.file)
  const file = `the file ${path} of ${what}`
  return (yield* fileOf(file, () => readSmallFile(path, mostBytes))) ?? (yield* unusable(`${file} does not exist`))
})

/** What the access file says of the tenant's secrets. */
const inAccessFile = (rules: AccessRules["Service"], folder: string): SecretSource => {
  const given = (tenant: TenantId) => {
    const tenants = rules.current()?.tenants
    return (tenants !== undefined && Object.hasOwn(tenants, tenant) ? tenants[tenant]?.secrets : undefined) ?? {}
  }
  return {
    where: (tenant) => `in the access file below tenants.${tenant}.secrets`,
    names: (tenant) => Effect.sync(() => Object.keys(given(tenant)).filter((name) => secretName.test(name))),
    read: Effect.fnUntraced(function* (tenant, name) {
      const secrets = given(tenant)
      const source = Object.hasOwn(secrets, name) ? secrets[name] : undefined
      if (source === undefined) return undefined
      return yield* readSource(source, `the secret ${name}`, folder)
    })
  }
}

/** The folder of `FLOW_SECRETS`, and the environment and files that the access file names. */
export const layer = Layer.effect(
  ConfiguredSecrets,
  Effect.gen(function* () {
    const { secrets, auth } = yield* Settings
    const beside = auth === undefined ? process.cwd() : dirname(auth)
    return ConfiguredSecrets.of({
      folder: secrets.folder === undefined ? undefined : inFolder(secrets.folder),
      accessFile: inAccessFile(yield* AccessRules, beside),
      read: (source, what) => readSource(source, what, beside)
    })
  })
)
