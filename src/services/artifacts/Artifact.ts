import { Brand, Schema } from "effect"

/** Dotted words that several artifacts of a tenant share. */
export type GroupName = Brand.Branded<string, "GroupName">
export const GroupName = Brand.nominal<GroupName>()

/** An artifact of a group. */
export type ArtifactName = Brand.Branded<string, "ArtifactName">
export const ArtifactName = Brand.nominal<ArtifactName>()

/** A version of an artifact, as its manifest writes it. */
export type ArtifactVersion = Brand.Branded<string, "ArtifactVersion">
export const ArtifactVersion = Brand.nominal<ArtifactVersion>()

/** Versions in a query, whose parameter may be repeated, comma-separated, or both. */
export const versionsIn = (given: string | ReadonlyArray<string>): ReadonlyArray<string> =>
  [given].flat().flatMap((some) => some.split(","))

/** The types of artifacts. */
export const artifactTypes = [
  "FLOWLINE",
  "FLOWLET",
  "GROK_PATTERNS",
  "PYTHON_NODE",
  "PARSER",
  "MODEL",
  "FILE",
  "PATCH"
] as const

export const ArtifactType = Schema.Literals(artifactTypes).annotate({ identifier: "ArtifactType" })

const Link = Schema.Struct({ name: Schema.optionalKey(Schema.String), url: Schema.optionalKey(Schema.String) })
const Person = Schema.Struct({ name: Schema.optionalKey(Schema.String), email: Schema.optionalKey(Schema.String) })

/** The members of a manifest that describe a version, apart from its coordinates. */
export const described = {
  description: Schema.optionalKey(Schema.String),
  displayName: Schema.optionalKey(
    Schema.String.annotate({ description: "Display name, shown instead of the artifact's name" })
  ),
  keywords: Schema.optionalKey(Schema.Array(Schema.String)),
  links: Schema.optionalKey(Schema.Array(Link)),
  readme: Schema.optionalKey(Schema.String.annotate({ description: "Markdown" })),
  changelog: Schema.optionalKey(Schema.Array(Schema.String)),
  maintainers: Schema.optionalKey(Schema.Array(Person)),
  provider: Schema.optionalKey(Person),
  flowVersionCompatible: Schema.optionalKey(Schema.Array(Schema.String)),
  properties: Schema.optionalKey(Schema.Record(Schema.String, Schema.Unknown))
}

/** A version of an artifact. */
export const Artifact = Schema.Struct({
  group: Schema.String.annotate({ description: "Dotted words" }),
  artifact: Schema.String,
  version: Schema.String,
  type: ArtifactType,
  ...described,
  createdAt: Schema.String.annotate({ description: "When the version was uploaded: ISO 8601, UTC, with milliseconds" }),
  file: Schema.String.annotate({ description: "File name of the uploaded build" }),
  content: Schema.optionalKey(
    Schema.String.annotate({ description: "The build itself, when it is UTF-8 text of at most 64 KiB" })
  ),
  size: Schema.Int.annotate({ description: "Size of the build in bytes" }),
  sha256: Schema.String.annotate({ description: "SHA-256 of the build in hex" }),
  storage: Schema.Struct({ backend: Schema.String, url: Schema.String }).annotate({
    description: "Where the build is stored"
  })
}).annotate({ identifier: "Artifact" })
export type Artifact = typeof Artifact.Type
