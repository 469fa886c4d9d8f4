import { Schema } from "effect"
import { PositiveDuration } from "../../../languages/DurationText.ts"
import type { SettingsIssue, Surroundings } from "../../Node.ts"
import { relativePath } from "../../settings/Paths.ts"
import { withDefault } from "../../settings/SettingsSchema.ts"
import { FieldName, ResourceName } from "../../settings/SettingTexts.ts"
import {
  type FileSource,
  filePath,
  patternFaults,
  storageFaults,
  storageSettings
} from "../../settings/StorageSettings.ts"

/** Where a table is: settings of nodes that look values up. */
export const sourceFields = {
  path: Schema.optionalKey(filePath("The table: a file as in `file_input`.")),
  ...storageSettings,
  registry: Schema.optionalKey(relativePath("The table: a path of the tenant's registry. In place of `path`.")),
  resource: Schema.optionalKey(
    ResourceName.annotate({
      description:
        "The table as the build of an artifact: `type:group:artifact:version`, or `latest` as the version. Replaces `path`."
    })
  )
}

export const reloadSetting = PositiveDuration.pipe(
  withDefault(
    "10s",
    "How often a file of `path` is looked at. When it has changed and is no longer being written, it is read again."
  )
)

/** The setting for records whose value is not found: keep, drop or fail them. */
export const missingSetting = (description: string) =>
  Schema.Literals(["keep", "drop", "errors"]).pipe(withDefault("keep", description))

export const lookedUp = Schema.String.check(Schema.isNonEmpty()).annotate({
  description: "Field of the record whose value is looked up."
})

export const targetSetting = Schema.optionalKey(
  FieldName.annotate({ description: "Field that receives the columns. Default: the record itself." })
)

const kinds = ["path", "registry", "resource"] as const

/** What is wrong with where a file is said to be. */
export const checkSource = (given: FileSource, context: Pick<Surroundings, "faulty">): ReadonlyArray<SettingsIssue> => {
  const [first, ...others] = kinds.filter((kind) => given[kind] !== undefined)
  if (first === undefined) return [{ path: [], detail: "One of path, registry and resource is required" }]
  if (others.length === 0) return [...storageFaults(given, context), ...patternFaults(given.path)]
  return others.map((kind) => ({
    path: [kind],
    detail: `Only one of path, registry and resource can be given, and ${first} is given already`
  }))
}
