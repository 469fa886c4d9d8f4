import { Schema } from "effect"
import { globFault } from "../../languages/Glob.ts"
import type { Reference } from "../../protocol/References.ts"
import { hasSecret } from "../../protocol/Secrets.ts"
import type { NodeContext, SettingsIssue, Surroundings } from "../Node.ts"
import type { InputFiles, Storage } from "../ports/NodeFiles.ts"
import { pathFault, pathPattern } from "./Paths.ts"
import { secretOr } from "./SettingTexts.ts"

const scheme = "s3://"

/** Whether a path is the URL of an object of an S3 storage. */
export const isObjectUrl = (path: string): boolean => path.startsWith(scheme)

const objectPattern =
  /^s3:\/\/[A-Za-z0-9][A-Za-z0-9._-]{1,61}[A-Za-z0-9]\/[^/\u0000-\u001f\u007f\\][^\u0000-\u001f\u007f\\]*$/u

/** The bucket and the key, or the pattern of keys, of an `s3://bucket/key`. */
export const objectOf = (path: string): { readonly bucket: string; readonly key: string } => {
  const end = path.indexOf("/", scheme.length)
  return { bucket: path.slice(scheme.length, end), key: path.slice(end + 1) }
}

/** Why a text names no file. */
const fileFault = (path: string): string | undefined => {
  if (isObjectUrl(path)) {
    if (path.length > 1024) return "the address is longer than 1024 characters"
    return objectPattern.test(path) ? undefined : "an object is written as s3://bucket/key"
  }
  const isUrl = path.startsWith("file:")
  const fault = isUrl ? "the path must be relative" : pathFault(path)
  return isUrl || path.startsWith("/")
    ? `${fault}: a folder of this machine is reached through a root, which the operator names with FLOW_ROOTS`
    : fault
}

/** A setting that is a relative path, or the URL of an object. */
export const filePath = (description: string) =>
  Schema.String.check(
    Schema.makeFilter(fileFault, {
      expected: "a relative path or s3://bucket/key",
      toJsonSchema: () => [
        { minLength: 1, maxLength: 1024, pattern: `${pathPattern.source}|${objectPattern.source}` },
        true
      ]
    })
  ).annotate({ description })

/** Why a path that may be a pattern cannot be read. */
export const patternFaults = (path: string | undefined): ReadonlyArray<SettingsIssue> => {
  const fault = path === undefined ? undefined : globFault(path)
  return fault === undefined ? [] : [{ path: ["path"], detail: fault }]
}

const isEndpoint = (text: string): boolean => {
  const url = URL.canParse(text) ? new URL(text) : undefined
  return (
    /^https?:\/\//.test(text) && url !== undefined && url.username === "" && url.password === "" && url.search === ""
  )
}

const key = Schema.String.check(Schema.isNonEmpty())

const s3Settings = Schema.Struct({
  endpoint: Schema.optionalKey(
    secretOr(isEndpoint, /^https?:\/\/(?![^/]*@)[^\s?]+$/u, "a URL such as https://s3.example.com").annotate({
      description: "Base URL of the server. Default: Amazon's for the region."
    })
  ),
  region: Schema.optionalKey(key.annotate({ description: "Region; required without `endpoint`." })),
  access_key_id: key.annotate({ description: `Access key; may be a \`\${secret:NAME}\`.` }),
  secret_access_key: key.annotate({ description: `Its secret, as \`\${secret:NAME}\`.` }),
  session_token: Schema.optionalKey(
    key.annotate({ description: `Token of temporary credentials, as \`\${secret:NAME}\`.` })
  ),
  path_style: Schema.optionalKey(
    Schema.Boolean.annotate({
      description: "Whether the bucket is in the path of URLs, not in the host name. Default: true with an `endpoint`."
    })
  )
})

/** The settings of a node that say what its paths are relative to. */
export const storageSettings = {
  root: Schema.optionalKey(
    Schema.String.check(
      Schema.isPattern(/^[A-Za-z0-9][A-Za-z0-9_-]{0,62}$/, { expected: "the name of a root" })
    ).annotate({ description: "What the path is relative to: a root of the operator, `conf` or `data`." })
  ),
  s3: Schema.optionalKey(
    s3Settings.annotate({ description: "How the storage of an `s3://` path is reached: its server and credentials." })
  )
}

interface Given extends Storage {
  readonly path?: string | undefined
}

/** What the path is relative to; undefined for the default of the node. */
export const storageOf = ({ root, s3 }: Given): Storage | undefined =>
  root === undefined && s3 === undefined ? undefined : { root, s3 }

/** Where a node reads a file: one of `path`, `registry` and `resource`. */
export interface FileSource extends Given {
  readonly registry?: string
  readonly resource?: string
}

/** The files of the storage that the settings name. */
export const filesOf = (given: FileSource, context: NodeContext): InputFiles => {
  const storage = storageOf(given)
  return storage === undefined ? context : context.filesIn(storage)
}

/** The root that the node reads in, for the catalogue. */
export const rootOf = ({ root }: FileSource) => (root === undefined ? undefined : { name: root, writes: false })

export const referenceOf = ({ registry, resource }: FileSource): Reference | undefined =>
  registry !== undefined ? { registry } : resource !== undefined ? { resource } : undefined

/** {@link referenceOf} as a list, for the catalogue. */
export const referencesOf = (given: FileSource): ReadonlyArray<Reference> => {
  const reference = referenceOf(given)
  return reference === undefined ? [] : [reference]
}

const inSecret = `The flowline is stored as it is: keep this in a secret, and write \${secret:NAME}`

/** Faults of the settings of a storage that their schemas cannot express. */
export const storageFaults = (
  { path, root, s3 }: Given,
  { faulty }: Pick<Surroundings, "faulty">
): ReadonlyArray<SettingsIssue> => {
  if (["path", ...Object.keys(storageSettings)].some((name) => faulty?.has(name))) return []
  const issues: Array<SettingsIssue> = []
  const isOnS3 = path !== undefined && isObjectUrl(path)
  if (path === undefined) {
    const [name] = Object.entries({ root, s3 }).flatMap(([name, value]) => (value === undefined ? [] : [name]))
    if (name !== undefined) issues.push({ path: [], detail: `${name} says what a path is relative to: set path` })
    return issues
  }
  if (isOnS3 && root !== undefined) issues.push({ path: ["root"], detail: "An s3:// path is in no root" })
  if (isOnS3 && s3 === undefined)
    issues.push({ path: [], detail: "An s3:// path needs the setting s3, with credentials" })
  if (!isOnS3 && s3 !== undefined) {
    issues.push({ path: ["s3"], detail: "Only an s3:// path is read from and written to an S3 storage" })
  }
  if (s3 === undefined) return issues
  if (s3.endpoint === undefined && s3.region === undefined) {
    issues.push({ path: ["s3"], detail: "Amazon's S3 needs a region; another server needs an endpoint" })
  }
  for (const name of ["secret_access_key", "session_token"] as const) {
    const value = s3[name]
    if (value !== undefined && !hasSecret(value)) issues.push({ path: ["s3", name], detail: inSecret })
  }
  return issues
}
