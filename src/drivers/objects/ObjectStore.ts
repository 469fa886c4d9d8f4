import type { LookupFunction } from "node:net"
import { Redacted } from "effect"
import { RefusedAddress } from "../../nodes/ports/Network.ts"
import type { S3Access } from "../../nodes/ports/NodeFiles.ts"
import { objectOf } from "../../nodes/settings/StorageSettings.ts"
import { Bucket, isMissing, refusalOf, troubleOf } from "../blobs/s3/Bucket.ts"
import { Failure } from "../Failure.ts"
import type { Outbound } from "../Outbound.ts"

/** Milliseconds that a server has to answer, and that a transfer may stand still. */
const deadline = 30_000

const amazon = "us-east-1"

const addressOf = ({ endpoint, region = amazon }: S3Access): URL => {
  const url = URL.parse(endpoint ?? `https://s3.${region}.amazonaws.com`)
  if (url !== null && /^https?:$/.test(url.protocol) && url.username === "" && url.password === "") return url
  throw new Failure("The endpoint of the S3 storage is not a URL such as https://s3.example.com")
}

/** Resolves the server's names as `outbound` allows; also those of buckets, which are part of the host name. */
const lookupOf = (url: URL, outbound: Outbound): LookupFunction => {
  // Refuses an address, which is not looked up.
  outbound.connection(url)
  return (hostname, options, callback) =>
    outbound
      .connection(new URL(`${url.protocol}//${hostname}${url.port === "" ? "" : `:${url.port}`}`))
      .lookup(hostname, options, callback)
}

/** A bucket of a tenant's S3 storage, reached with the tenant's own credentials. */
export const bucketOf = (path: string, access: S3Access, outbound: Outbound): Bucket => {
  const { endpoint, region = amazon, path_style, session_token } = access
  const url = addressOf(access)
  const place = {
    bucket: objectOf(path).bucket,
    endpoint: endpoint === undefined ? undefined : url.href.replace(/\/$/, ""),
    region,
    forcePathStyle: path_style ?? endpoint !== undefined,
    credentials: Redacted.make({
      accessKeyId: access.access_key_id,
      secretAccessKey: access.secret_access_key,
      ...(session_token === undefined ? {} : { sessionToken: session_token })
    })
  }
  return new Bucket(place, deadline, lookupOf(url, outbound))
}

const refusedAddress = (error: unknown): RefusedAddress | undefined => {
  for (let cause = error; cause instanceof Error; cause = cause.cause) if (cause instanceof RefusedAddress) return cause
  return undefined
}

/** Whether a request failed without a verdict of the server, so that the same one may succeed. */
export const mayPass = (error: unknown): boolean => {
  if (error instanceof Failure || refusedAddress(error) !== undefined) return false
  const status = refusalOf(error)?.$metadata.httpStatusCode
  return status === undefined || status >= 500 || status === 429
}

export const replaced = (path: string): Failure => new Failure(`The object "${path}" was replaced while it was read`)

/** The failure of a request, for the user. `may` says what the credentials have to allow. */
export const objectFailure = (error: unknown, path: string, may: string): unknown => {
  if (error instanceof Failure) return error
  const refused = refusedAddress(error)
  if (refused !== undefined) return new Failure(refused.message)
  const status = refusalOf(error)?.$metadata.httpStatusCode
  if (status === 412) return replaced(path)
  if (
    status === 403 &&
    !["InvalidAccessKeyId", "SignatureDoesNotMatch", "RequestTimeTooSkewed"].includes(nameOf(error))
  ) {
    return new Failure(`"${path}" cannot be used: the credentials may not ${may}`)
  }
  if (isMissing(error) && nameOf(error) !== "NoSuchBucket") return new Failure(`The object "${path}" does not exist`)
  return new Failure(`"${path}" cannot be used: ${troubleOf(error)}`)
}

const nameOf = (error: unknown): string => refusalOf(error)?.name ?? ""
