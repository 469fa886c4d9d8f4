import { Deferred, Effect, Exit, Metric, Schema, type Scope } from "effect"
import { type CryptoKey, createLocalJWKSet, errors, type JWSHeaderParameters } from "jose"
import { messageOf } from "../../languages/ErrorMessage.ts"
import { monotonicMillis } from "../../protocol/MonotonicTime.ts"
import type { FetchJson } from "./IssuerFetch.ts"

/** Milliseconds after which keys are read again; tokens are checked with the old ones meanwhile. */
const freshMillis = 10 * 60_000

/** Milliseconds for which keys are used while their issuer cannot be reached. */
const staleMillis = 24 * 3_600_000

/** Minimum milliseconds between two attempts to read the keys, whatever keys tokens ask for. */
export const attemptMillis = 10_000

/** Milliseconds that an issuer has to answer with its keys. */
const patience = 5000

/** Maximum number of keys of an issuer, and of keys that are tried for a token that does not name one. */
const mostKeys = 100
const mostTries = 4

const Discovery = Schema.Struct({ issuer: Schema.String, jwks_uri: Schema.String })
const KeySet = Schema.Struct({
  keys: Schema.Array(Schema.Record(Schema.String, Schema.Unknown)).check(Schema.isMaxLength(mostKeys))
})

const reads = Metric.counter("flow_issuer_reads_total", {
  description: "Attempts to read the keys of an issuer of tokens",
  incremental: true
})

/**
 * Finds the keys for a token by its header: none if the issuer has no such key, or its keys are not known. If none of the
 * found keys has signed the token, the issuer may have replaced a key by one with the same name, or without a name: then
 * only keys that were read since are found.
 */
export type FindKeys = (
  header: JWSHeaderParameters,
  found?: ReadonlyArray<CryptoKey>
) => Effect.Effect<ReadonlyArray<CryptoKey>>

type Local = (header: JWSHeaderParameters) => Promise<CryptoKey>

/** The keys of a set that fit the header; undefined when none does, so that the issuer may have newer ones. */
const among = async (local: Local, header: JWSHeaderParameters): Promise<ReadonlyArray<CryptoKey> | undefined> => {
  try {
    return [await local(header)]
  } catch (error) {
    if (error instanceof errors.JWKSNoMatchingKey) return undefined
    // A key that cannot be used.
    if (!(error instanceof errors.JWKSMultipleMatchingKeys)) return []
    const keys: Array<CryptoKey> = []
    for await (const key of error) if (keys.push(key) === mostTries) break
    return keys
  }
}

/**
 * The keys of an issuer. They are read when a token first needs them, and again when a token names a key that is not
 * among them or when they are old. jose's own remote key set forgets its keys when they are old and the issuer is away,
 * and asks an issuer that fails with every token.
 */
export const makeIssuerKeys = (
  issuer: string,
  jwksUri: string | undefined,
  fetchJson: FetchJson,
  scope: Scope.Scope
): FindKeys => {
  let local: Local | undefined
  let readAt = Number.NEGATIVE_INFINITY
  let triedAt = Number.NEGATIVE_INFINITY
  let reading: Deferred.Deferred<void> | undefined

  const addressOf = async (signal: AbortSignal): Promise<string> => {
    if (jwksUri !== undefined) return jwksUri
    const found = await fetchJson(`${issuer.replace(/\/$/, "")}/.well-known/openid-configuration`, signal)
    const discovery = Schema.decodeUnknownSync(Discovery)(found)
    if (discovery.issuer === issuer) return discovery.jwks_uri
    throw new Error(`the discovery document names the issuer ${JSON.stringify(discovery.issuer.slice(0, 200))}`)
  }

  const readKeys = async (): Promise<Local> => {
    const signal = AbortSignal.timeout(patience)
    const found = await fetchJson(await addressOf(signal), signal)
    Schema.decodeUnknownSync(KeySet)(found)
    return createLocalJWKSet(found as Parameters<typeof createLocalJWKSet>[0])
  }

  const read = Effect.clockWith((clock) =>
    Effect.tryPromise({
      try: readKeys,
      catch: (error) => messageOf(error)
    }).pipe(
      Effect.tap((keys) =>
        Effect.sync(() => {
          local = keys
          readAt = monotonicMillis(clock)
        })
      ),
      Effect.andThen(Metric.update(Metric.withAttributes(reads, { issuer, outcome: "read" }), 1)),
      Effect.catch((reason) =>
        Effect.andThen(
          Metric.update(Metric.withAttributes(reads, { issuer, outcome: "failed" }), 1),
          Effect.logWarning(`The keys of the issuer ${issuer} cannot be read: ${reason}`)
        )
      )
    )
  )

  /** The end of the read that is under way, or of a new one, unless the last one was a moment ago. */
  const readAgain = (now: number): Effect.Effect<Deferred.Deferred<void> | undefined> =>
    Effect.suspend(() => {
      if (reading !== undefined || now - triedAt < attemptMillis) return Effect.succeed(reading)
      triedAt = now
      const begun = Deferred.makeUnsafe<void>()
      reading = begun
      const end = Effect.sync(() => {
        reading = undefined
        Deferred.doneUnsafe(begun, Exit.void)
      })
      return Effect.as(Effect.forkIn(Effect.ensuring(read, end), scope), begun)
    })

  const usable = (now: number): Local | undefined => (now - readAt < staleMillis ? local : undefined)

  return (header, found) =>
    Effect.clockWith((clock) =>
      Effect.gen(function* () {
        const now = monotonicMillis(clock)
        const known = usable(now)
        if (known !== undefined) {
          if (now - readAt > freshMillis) yield* readAgain(now)
          const keys = yield* Effect.promise(() => among(known, header))
          const isRefused = found !== undefined && keys?.every((key) => found.includes(key)) === true
          if (keys !== undefined && !isRefused) return keys
        }
        const ended = yield* readAgain(now)
        if (ended !== undefined) yield* Deferred.await(ended)
        const again = usable(now)
        if (again === undefined || again === known) return []
        return (yield* Effect.promise(() => among(again, header))) ?? []
      })
    )
}
