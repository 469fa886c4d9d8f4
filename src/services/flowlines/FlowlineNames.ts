import { Effect } from "effect"
import * as Base64Url from "effect/encoding/Base64Url"
import { NotFound } from "../../errors/NotFound.ts"
import { FlowlineId } from "../shared/FlowlineId.ts"
import { strongTags } from "../shared/reads/EntityTag.ts"
import type { TenantId } from "../shared/Tenant.ts"

/**
 * A new flowline id: 20 URL-safe characters. The first is a letter or digit, so that tools do not parse it as an
 * option.
 */
export const newId = Effect.sync(() => {
  for (;;) {
    const id = Base64Url.encode(crypto.getRandomValues(new Uint8Array(15)))
    if (/^[A-Za-z0-9]/.test(id)) return FlowlineId(id)
  }
})

/** The entity tag of a version without its quotes, for `If-Match`. */
export const tagOf = (id: FlowlineId, version: number): string => `${id}.${version}`

/** The versions of the flowline `id` that an `If-Match` header names; `undefined` when it allows any. */
export const expectedVersions = (id: FlowlineId, ifMatch = "*"): ReadonlyArray<number> | undefined =>
  strongTags(ifMatch)?.flatMap((tag) => {
    const version = /^(.*)\.(\d{1,9})$/.exec(tag)
    return version?.[1] === id ? [Number(version[2])] : []
  })

/** The name that clients know for a tenant's collection of flowlines. */
export const indexOf = (tenant: TenantId): string => `${tenant}-flowlines`

/** There is no such flowline, or it has no such version. */
export const missingFlowline = (tenant: TenantId, id: FlowlineId, version?: number): NotFound =>
  new NotFound({
    kind: "flowline",
    tenant,
    id,
    ...(version === undefined ? {} : { detail: `There is no version ${version} of a flowline "${id}"` })
  })
