import type { gateway } from "../../app/gateway.ts"

/** A version of an artifact, as the gateway answers it. */
export type Artifact = Awaited<ReturnType<typeof gateway.resources.metadata>>
