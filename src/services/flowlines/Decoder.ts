import { Context, type Effect } from "effect"
import type { BadRequest } from "../../errors/BadRequest.ts"
import type { TenantDefinitions } from "../../languages/grok/TenantDefinitions.ts"
import type { NodeDescriptor } from "../scan/Descriptor.ts"
import type { Definition } from "./Definition.ts"

/** A flowline file as it was sent. */
export interface FlowlineFile {
  readonly name?: string
  readonly bytes: Uint8Array<ArrayBuffer>
  /** Whose flowline it is. */
  readonly tenant?: string
  /** The nodes that the tenant brings along, where the flowline may use them. */
  readonly own?: ReadonlyArray<NodeDescriptor>
  /** The grok patterns that the tenant brings along, where the flowline may use them. */
  readonly patterns?: TenantDefinitions
}

/** Decodes and validates flowline files without holding anybody else up, however large or odd they are. */
export class FlowlineDecoder extends Context.Service<
  FlowlineDecoder,
  { readonly decode: (file: FlowlineFile) => Effect.Effect<Definition, BadRequest> }
>()("flow/flowlines/FlowlineDecoder") {}
