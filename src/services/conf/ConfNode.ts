import { Schema } from "effect"

/**
 * An entry of the configuration folder. `parent` is `""` at the top level. The `size` of a folder is the sum of its
 * files.
 */
export interface ConfNode {
  readonly parent: string
  readonly path: string
  readonly size: number
  readonly isFile: boolean
  readonly canRead: boolean
  readonly children: { readonly [name: string]: ConfNode }
}

export const ConfNode = Schema.Struct({
  parent: Schema.String.annotate({ description: "Parent folder; empty at the top level" }),
  path: Schema.String.annotate({ description: "Path relative to the tenant's folder" }),
  size: Schema.Int.annotate({ description: "Size in bytes; for a folder, the sum of its files" }),
  isFile: Schema.Boolean,
  canRead: Schema.Boolean.annotate({ description: "Whether the gateway is allowed to read it" }),
  children: Schema.Record(
    Schema.String,
    Schema.suspend((): Schema.Codec<ConfNode> => ConfNode)
  )
}).annotate({ identifier: "ConfNode" })
