import { Predicate } from "effect"
import type { FlowlineFile } from "../FlowlineFile.ts"
import type { FullVersion } from "../FlowlineStore.ts"

/** The definition of a version, as a file. */
export const madeFile = ({ id, dag }: FullVersion): FlowlineFile & { readonly name: string } => ({
  name: `${id}.json`,
  bytes: new TextEncoder().encode(`${JSON.stringify(JSON.parse(dag), null, 2)}\n`)
})

/** The file of a version as it was sent, or one that is made of its definition. */
export const fileOf = (version: FullVersion): FlowlineFile => version.file ?? madeFile(version)

/** The text of a file, without a byte order mark. */
export const textOf = ({ bytes }: FlowlineFile): string => new TextDecoder().decode(bytes)

/** The definition of a version. */
export const definitionOf = ({ dag }: FullVersion): Record<PropertyKey, unknown> => {
  const value: unknown = JSON.parse(dag)
  return Predicate.isObject(value) ? value : {}
}
