import { Schema } from "effect"
import { type NodeType, node } from "../../nodes/Node.ts"
import type { NodeDescriptor } from "./Descriptor.ts"
import { faultsOf } from "./JsonSchema.ts"

/** A tenant's own nodes, for the validation of its flowlines. */
export interface OwnNodes {
  readonly types: ReadonlyMap<string, NodeType>
  /** The files that could not be scanned. A missing node may be in one of them. */
  readonly broken: ReadonlyArray<string>
  /** True when this machine has no interpreter to scan with; then any name may be a node. */
  readonly isUnknown: boolean
}

export const noOwnNodes: OwnNodes = { types: new Map(), broken: [], isUnknown: false }

const cannotRun = () => {
  throw new Error("a node of a tenant runs in its own runtime only")
}

/** A descriptor as a catalogue node type. Its settings are validated with their JSON Schema. */
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

/** The type of the descriptor which reports that nothing could be scanned because there is no interpreter. */
export const nothingScanned = "python3"

/** The nodes of a scan's result. */
export const ownNodes = (descriptors: ReadonlyArray<NodeDescriptor>): OwnNodes => ({
  types: new Map(descriptors.filter(({ error }) => error === undefined).map((found) => [found.type, typeOf(found)])),
  broken: descriptors.flatMap(({ type, error }) =>
    error === undefined ? [] : [`${type}${error.line === undefined ? "" : `, line ${error.line}`}: ${error.message}`]
  ),
  isUnknown: descriptors.some(({ type, error }) => type === nothingScanned && error !== undefined)
})
