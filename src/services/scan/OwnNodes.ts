import { Schema } from "effect"
import { type NodeType, node } from "../../nodes/Node.ts"
import type { NodeDescriptor } from "./Descriptor.ts"
import { faultsOf } from "./JsonSchema.ts"

/** A tenant's own nodes, for the validation of its flowlines. */
export interface OwnNodes {
  readonly types: ReadonlyMap<string, NodeType>
  /** What could not be scanned: a node that is missing may be in it. */
  readonly broken: ReadonlyArray<string>
  /** Whether there is nothing on this machine to scan with: any name may be a node. */
  readonly isUnknown: boolean
}

export const noOwnNodes: OwnNodes = { types: new Map(), broken: [], isUnknown: false }

const cannotRun = () => {
  throw new Error("a node of a tenant runs in its own runtime only")
}

/** A descriptor as a node of the catalogue's kind. Its settings are checked by their JSON Schema. */
const typeOf = ({ type, kind, description, runtimes, settings, inputs, outputs }: NodeDescriptor): NodeType =>
  node({
    type,
    kind: kind ?? "processing",
    description: description ?? "",
    runtimes,
    settings: Schema.Record(Schema.String, Schema.Unknown),
    inputs: inputs ?? { min: 0, max: 0 },
    outputs: outputs ?? [],
    example: {},
    check: (given) => faultsOf(settings ?? {}, given),
    start: cannotRun
  })

/** The type of the descriptor that says that nothing could be scanned, for want of an interpreter. */
export const nothingScanned = "python3"

/** What a scan found. */
export const ownNodes = (descriptors: ReadonlyArray<NodeDescriptor>): OwnNodes => ({
  types: new Map(descriptors.filter(({ error }) => error === undefined).map((found) => [found.type, typeOf(found)])),
  broken: descriptors.flatMap(({ type, error }) =>
    error === undefined ? [] : [`${type}${error.line === undefined ? "" : `, line ${error.line}`}: ${error.message}`]
  ),
  isUnknown: descriptors.some(({ type, error }) => type === nothingScanned && error !== undefined)
})
