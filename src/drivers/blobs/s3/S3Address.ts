import { Redacted } from "effect"
import type { S3Blobs } from "../../../protocol/Places.ts"

/** The variables of the AWS tools, which supply what an address omits. */
export interface AwsVariables {
  readonly accessKeyId?: string | undefined
  readonly secretAccessKey?: string | undefined
  readonly sessionToken?: string | undefined
  readonly region?: string | undefined
  readonly endpoint?: string | undefined
}

/** Why an address cannot be used. The message never contains the address, which may include a secret. */
export class WrongAddress extends Error {}

const bucketName = /^[A-Za-z0-9][A-Za-z0-9._-]{1,61}[A-Za-z0-9]$/
const prefixSegment = /^(?!\.+$)[A-Za-z0-9._=+-]+$/
const parameters = new Set(["endpoint", "region", "pathStyle"])

const parse = (address: string): URL => {
  if (!URL.canParse(address)) throw new WrongAddress("expected s3://bucket/prefix?endpoint=…&region=…")
  return new URL(address)
}

const endpointOf = (value: string | null | undefined): string | undefined => {
  if (value === null || value === undefined || value === "") return undefined
  const url = URL.canParse(value) ? new URL(value) : undefined
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.username !== "" || url.search !== "") {
    throw new WrongAddress("the endpoint must be a URL such as http://localhost:9000")
  }
  return url.href.replace(/\/$/, "")
}

const credentialsOf = (url: URL, aws: AwsVariables): S3Blobs["credentials"] => {
  if (url.username !== "" || url.password !== "") {
    if (url.username === "" || url.password === "") {
      throw new WrongAddress("an address with a key also needs its secret: s3://key:secret@bucket")
    }
    const [accessKeyId, secretAccessKey] = [url.username, url.password].map(decodeURIComponent)
    return Redacted.make({ accessKeyId: accessKeyId!, secretAccessKey: secretAccessKey! })
  }
  const { accessKeyId, secretAccessKey, sessionToken } = aws
  if (accessKeyId === undefined || secretAccessKey === undefined) {
    throw new WrongAddress("the S3 storage needs credentials: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY")
  }
  return Redacted.make({ accessKeyId, secretAccessKey, ...(sessionToken === undefined ? {} : { sessionToken }) })
}

const pathStyleOf = (value: string | null, endpoint: string | undefined): boolean => {
  if (value !== null && value !== "true" && value !== "false") throw new WrongAddress("pathStyle must be true or false")
  // Self-hosted servers rarely have a host name per bucket; Amazon does.
  return value === null ? endpoint !== undefined : value === "true"
}

/**
 * Parses `s3://[key:secret@]bucket[/prefix][?endpoint=…&region=…&pathStyle=true|false]`. Omitted parts come from the
 * AWS variables. Throws {@link WrongAddress}.
 */
export const s3Address = (address: string, aws: AwsVariables): S3Blobs => {
  const url = parse(address)
  for (const name of url.searchParams.keys()) {
    if (!parameters.has(name)) throw new WrongAddress("the only parameters are endpoint, region and pathStyle")
  }
  if (!bucketName.test(url.host)) throw new WrongAddress("expected a valid bucket name after s3://")
  const segments = url.pathname.split("/").filter((segment) => segment !== "")
  if (!segments.every((segment) => prefixSegment.test(segment))) {
    throw new WrongAddress("the prefix consists of letters, digits, '.', '_', '=', '+', '-' and single slashes")
  }
  const endpoint = endpointOf(url.searchParams.get("endpoint") ?? aws.endpoint)
  const region = url.searchParams.get("region") ?? aws.region
  if (region === undefined && endpoint === undefined) {
    throw new WrongAddress("Amazon's S3 needs a region: add ?region=… or set AWS_REGION")
  }
  return {
    kind: "s3",
    bucket: url.host,
    prefix: segments.join("/"),
    endpoint,
    region: region ?? "us-east-1",
    forcePathStyle: pathStyleOf(url.searchParams.get("pathStyle"), endpoint),
    credentials: credentialsOf(url, aws)
  }
}
