import { Context, type Stream } from "effect"
import type { AccessFile } from "./AccessFile.ts"

/** The access file as it is now. */
export class AccessRules extends Context.Service<
  AccessRules,
  {
    /** Undefined without `FLOW_AUTH`: no credentials are asked for, and every folder of the configuration is a tenant. */
    readonly current: () => AccessFile | undefined
    /** The rules now, and after each change of the file. */
    readonly changes: Stream.Stream<AccessFile | undefined>
    /** Whether the file on the disk is faulty or gone, so that former rules are in force. */
    readonly faulty: () => boolean
  }
>()("flow/access/AccessRules") {}
