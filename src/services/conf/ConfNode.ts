import { Schema } from "effect"

/** An entry of the configuration folder. `parent` is `""` at the top; a folder's `size` is the sum of its files. */
export interface ConfNode {
  readonly parent: string
  readonly path: string
  readonly size: number
  readonly isFile: boolean
  readonly canRead: boolean
  readonly children: { readonly [name: string]: ConfNode }
}

export const ConfNode = Schema.Struct({
  parent: Schema.String.annotate({ description: "Parent folder, empty at the top" }),
  path: Schema.String.annotate({ description: "Path relative to the tenant's folder" }),
  size: Schema.Int.annotate({ description: "Bytes; the sum of its files for a folder" }),
  isFile: Schema.Boolean,
  canRead: Schema.Boolean.annotate({ description: "Whether the gateway can read it" }),
  children: Schema.Record(
    Schema.String,
    Schema.suspend((): Schema.Codec<ConfNode> => ConfNode)
  )
}).annotate({ identifier: "ConfNode" })
