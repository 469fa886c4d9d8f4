import { Agent as HttpAgent } from "node:http"
import { Agent as HttpsAgent } from "node:https"
import type { LookupFunction } from "node:net"
import { DeleteObjectCommand, S3Client, S3ServiceException } from "@aws-sdk/client-s3"
import { Redacted } from "effect"
import type { S3Blobs } from "../../../protocol/Places.ts"
import { Overdue } from "../disk/FileCalls.ts"
import { Handler } from "./Handler.ts"

interface Waiting {
  readonly go: () => void
  readonly refuse: (reason: unknown) => void
}

/**
 * Limits the number of concurrent calls; further ones wait in order of arrival. When a running call is overdue, the
 * waiting ones fail too, because they would only wait in vain one after the other.
 */
class LimitedCalls {
  #free: number
  readonly #waiting = new Set<Waiting>()

  constructor(turns: number) {
    this.#free = turns
  }

  #turn(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal.aborted) return reject(signal.reason)
      const abort = () => waiting.refuse(signal.reason)
      const leave = () => {
        this.#waiting.delete(waiting)
        signal.removeEventListener("abort", abort)
      }
      const waiting: Waiting = {
        go: () => {
          leave()
          resolve()
        },
        refuse: (reason) => {
          leave()
          reject(reason)
        }
      }
      this.#waiting.add(waiting)
      signal.addEventListener("abort", abort)
    })
  }

  async take<A>(work: () => Promise<A>, signal: AbortSignal): Promise<A> {
    if (this.#free > 0) this.#free--
    else await this.#turn(signal)
    try {
      return await work()
    } catch (error) {
      if (error instanceof Overdue) for (const { refuse } of [...this.#waiting]) refuse(error)
      throw error
    } finally {
      const [next] = this.#waiting
      if (next === undefined) this.#free++
      else next.go()
    }
  }
}

/** Maximum number of attempts for a request that the server could not process; all within the deadline. */
const maxAttempts = 3

/** Maximum number of bodies that this process sends concurrently: all uploads share memory and bandwidth. */
const bodies = 16

/** The options that {@link Bucket.quick} and {@link Bucket.steady} pass to the client's `send`. */
export interface Limits {
  readonly abortSignal: AbortSignal
  /** Milliseconds until the head of the answer; 0 for no limit. */
  readonly requestTimeout: number
}

/** A bucket, its client and the server's deadline in milliseconds. */
export class Bucket {
  readonly name: string
  readonly client: S3Client
  readonly deadline: number
  readonly turns = new LimitedCalls(bodies)

  /** `lookup` resolves the names of the server's machines; by default the system does. */
  constructor(place: Omit<S3Blobs, "kind" | "prefix">, deadline: number, lookup?: LookupFunction) {
    this.name = place.bucket
    this.deadline = deadline
    const agents = {
      keepAlive: true,
      maxSockets: Number.POSITIVE_INFINITY,
      ...(lookup === undefined ? {} : { lookup })
    }
    const options = {
      httpAgent: new HttpAgent(agents),
      httpsAgent: new HttpsAgent(agents),
      connectionTimeout: Math.min(deadline, 2000),
      throwOnRequestTimeout: true
    }
    this.client = new S3Client({
      ...(place.endpoint === undefined ? {} : { endpoint: place.endpoint }),
      region: place.region,
      forcePathStyle: place.forcePathStyle,
      credentials: Redacted.value(place.credentials),
      maxAttempts,
      // Not every server supports checksums in trailers; all of them verify a signed body.
      requestChecksumCalculation: "WHEN_REQUIRED",
      responseChecksumValidation: "WHEN_REQUIRED",
      expectContinueHeader: false,
      followRegionRedirects: false,
      requestHandler: new Handler(options, deadline)
    })
  }

  /**
   * A request that must be answered within the deadline, including retries. For a read, the deadline applies to the
   * head.
   */
  quick<A>(send: (limits: Limits) => Promise<A>, signal?: AbortSignal): Promise<A> {
    return this.#bounded(send, this.deadline, this.deadline, signal)
  }

  /**
   * A request that may take any time as long as it makes progress: it transfers much, or gives the server much work.
   */
  steady<A>(send: (limits: Limits) => Promise<A>, signal?: AbortSignal): Promise<A> {
    return this.#bounded(send, 0, undefined, signal)
  }

  #bounded<A>(
    send: (limits: Limits) => Promise<A>,
    requestTimeout: number,
    deadline: number | undefined,
    signal: AbortSignal | undefined
  ): Promise<A> {
    return new Promise((resolve, reject) => {
      const control = new AbortController()
      const give = (reason: unknown) => {
        reject(reason)
        control.abort(reason)
      }
      const abort = () => give(signal?.reason)
      const timer =
        deadline === undefined ? undefined : setTimeout(give, deadline, new Overdue("the storage does not answer"))
      if (signal?.aborted) return abort()
      signal?.addEventListener("abort", abort, { once: true })
      send({ requestTimeout, abortSignal: control.signal })
        .then(resolve, reject)
        .finally(() => {
          clearTimeout(timer)
          signal?.removeEventListener("abort", abort)
        })
    })
  }
}

/** The error that the server answered with; `undefined` when it did not answer. */
export const refusalOf = (error: unknown): S3ServiceException | undefined =>
  error instanceof S3ServiceException && error.$metadata.httpStatusCode !== undefined ? error : undefined

const meanings: Readonly<Record<string, string>> = {
  NoSuchBucket: "there is no such bucket",
  InvalidBucketName: "the server does not accept the bucket's name",
  InvalidAccessKeyId: "the server does not know the access key",
  SignatureDoesNotMatch: "the secret key does not match the access key",
  AccessDenied: "the credentials may not list, read, write and remove there",
  ExpiredToken: "the session token has expired",
  InvalidToken: "the session token is not valid",
  PermanentRedirect: "the bucket is in another region",
  AuthorizationHeaderMalformed: "the bucket is in another region",
  RequestTimeTooSkewed: "the clocks of this machine and the server are too far apart"
}

/** What is wrong with the storage, for a message. Repeats nothing that the server said. */
export const troubleOf = (error: unknown): string => {
  const refusal = refusalOf(error)
  if (refusal !== undefined) {
    const status = refusal.$metadata.httpStatusCode
    return meanings[refusal.name] ?? `the server answered ${status} (${refusal.name})`
  }
  const code = error instanceof Error && "code" in error ? String(error.code) : "no answer in time"
  return `the server cannot be reached (${code})`
}

/** Whether the server answered 404: there is no such object, or no such bucket. */
export const isMissing = (error: unknown): boolean => refusalOf(error)?.$metadata.httpStatusCode === 404

/** Removing what is not there is no failure. */
export const removeObject = async (bucket: Bucket, key: string, signal?: AbortSignal): Promise<void> => {
  const command = new DeleteObjectCommand({ Bucket: bucket.name, Key: key })
  await bucket.quick((limits) => bucket.client.send(command, limits), signal)
}
