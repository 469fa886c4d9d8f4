import * as NodeCrypto from "@effect/platform-node/NodeCrypto"
import { Context, Effect, Layer, Redacted, Result, Stream, SubscriptionRef } from "effect"
import * as Aead from "effect/crypto/Aead"
import { messageOf } from "../../languages/ErrorMessage.ts"
import { inBackground } from "../../services/shared/process/Background.ts"
import { observeGauge } from "../../services/shared/process/ObservableMetrics.ts"
import { Settings } from "../../services/shared/settings/Settings.ts"
import { InvalidSetting } from "../EnvironmentSettings.ts"
import { type KeyLine, parseKeyFile } from "./KeyFile.ts"
import { failureText, readSmallFile } from "./SmallFile.ts"

/** A key and its id. */
export interface SecretKey {
  readonly id: string
  readonly key: Aead.Key<Aead.AesGcm>
}

/** The keys that secrets are encrypted with. The first one encrypts, all of them decrypt; there may be none. */
export class SecretKeys extends Context.Service<
  SecretKeys,
  {
    readonly current: Effect.Effect<ReadonlyArray<SecretKey>>
    /** The keys now, and after each change of the file. */
    readonly changes: Stream.Stream<ReadonlyArray<SecretKey>>
    /** What is wrong with the file since its last change. The keys before it are still used. */
    readonly fault: Effect.Effect<string | undefined>
  }
>()("flow/secrets/SecretKeys") {}

const mostBytes = 64 * 1024

/** How often the file is looked at. Mounted secrets change without an event that tells so everywhere. */
const lookEvery = "5 seconds"

const observed = (fault: () => string | undefined) =>
  observeGauge(
    "flow_secret_keys_valid",
    {
      description: "Whether the file of the keys of secrets, if any, could be read after its last change (1) or not (0)"
    },
    () => (fault() === undefined ? 1 : 0)
  )

const unused = Layer.effect(
  SecretKeys,
  Effect.as(
    observed(() => undefined),
    SecretKeys.of({ current: Effect.succeed([]), changes: Stream.succeed([]), fault: Effect.succeed(undefined) })
  )
)

/** The text of the file; fails with what is wrong. */
const textOf = (path: string) =>
  Effect.gen(function* () {
    const file = yield* Effect.tryPromise({
      try: () => readSmallFile(path, mostBytes),
      catch: (error) => `${path} cannot be read: ${messageOf(error)}`
    })
    if (typeof file === "string") return yield* Effect.fail(`${path} ${failureText(file, mostBytes)}`)
    return { text: new TextDecoder().decode(file.bytes), mode: file.mode }
  })

const keyOf = ({ id, bytes }: KeyLine): Effect.Effect<SecretKey> =>
  Effect.map(Effect.orDie(Aead.key(Aead.aes256Gcm, Redacted.value(bytes))), (key) => ({ id, key }))

const keysOf = (path: string, text: string) =>
  Effect.fromResult(parseKeyFile(text)).pipe(
    Effect.mapError((fault) => `${path}: ${fault}`),
    Effect.flatMap((lines) => Effect.forEach(lines, keyOf))
  )

/** The keys of a file; fails with what is wrong. */
export const readKeys = (path: string): Effect.Effect<ReadonlyArray<SecretKey>, string> =>
  Effect.flatMap(textOf(path), ({ text }) => keysOf(path, text))

const watched = (path: string) =>
  Layer.effect(
    SecretKeys,
    Effect.gen(function* () {
      const refuse = (message: string) => new InvalidSetting({ variable: "FLOW_SECRETS_KEY_FILE", message })
      const first = yield* Effect.mapError(textOf(path), refuse)
      if ((first.mode & 0o007) !== 0) {
        yield* Effect.logWarning(`Everybody on this machine may use ${path}, which has keys: chmod o= ${path}`)
      }
      const keys = yield* SubscriptionRef.make<ReadonlyArray<SecretKey>>(
        yield* Effect.mapError(keysOf(path, first.text), refuse)
      )
      let seen = Redacted.make(first.text)
      let fault: string | undefined

      const read = Effect.gen(function* () {
        const { text } = yield* textOf(path)
        if (text === Redacted.value(seen) && fault === undefined) return
        const changed = yield* keysOf(path, text)
        seen = Redacted.make(text)
        yield* SubscriptionRef.set(keys, changed)
        yield* Effect.logInfo(`Read the keys of secrets: ${changed.map(({ id }) => id).join(", ")}`)
      })
      const look = Effect.gen(function* () {
        const result = yield* Effect.result(read)
        const found = Result.isFailure(result) ? result.failure : undefined
        if (found !== undefined && found !== fault) {
          yield* Effect.logError(`The keys of secrets stay as they were: ${found}`)
        }
        fault = found
      })
      yield* inBackground("Looking at the keys of secrets", look, lookEvery)
      yield* observed(() => fault)
      return SecretKeys.of({
        current: SubscriptionRef.get(keys),
        changes: SubscriptionRef.changes(keys),
        fault: Effect.sync(() => fault)
      })
    })
  )

/** The keys of the file that the settings name, read again when it changes. */
export const layer = Layer.unwrap(
  Effect.map(Settings, ({ secrets: { keyFile } }) => (keyFile === undefined ? unused : watched(keyFile)))
)

/** What encrypts with the keys. */
export const aead = NodeCrypto.layerAead
