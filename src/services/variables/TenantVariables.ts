import { Context, Effect, Layer, Result, Stream } from "effect"
import type { Issue } from "../../errors/BadRequest.ts"
import type { StorageUnreachable } from "../../errors/StorageUnreachable.ts"
import type { Values } from "../../protocol/Parameters.ts"
import { Conf } from "../conf/Conf.ts"
import { Settings } from "../shared/settings/Settings.ts"
import type { TenantId } from "../shared/Tenant.ts"
import { readVariables, variableBytes } from "./VariablesFile.ts"

/** The variables of a tenant in the environment of this gateway. Plain data. */
export interface FoundVariables {
  readonly values: Values
  /** The environment that the operator has chosen. */
  readonly environment?: string
  /** Why there are none: the file is faulty. */
  readonly fault?: string
}

/** Where a tenant's variables may be, in its configuration folder. The first file that exists counts. */
const files = ["yml", "yaml", "hjson", "json"].map((extension) => `variables.${extension}`)

const faultText = (file: string, [issue, ...others]: ReadonlyArray<Issue>): string => {
  const { detail, line, column, pointer } = issue ?? { detail: "it cannot be read" }
  const place = line === undefined ? "" : ` line ${line}${column === undefined ? "" : `, column ${column}`}:`
  const more = others.length === 0 ? "" : ` (and ${others.length} more)`
  return `${file}:${place}${pointer === undefined || pointer === "" ? "" : ` ${pointer}:`} ${detail}${more}`
}

/** The variables that flowlines of a tenant may refer to, read from its configuration each time. */
export class TenantVariables extends Context.Service<
  TenantVariables,
  { readonly of: (tenant: TenantId) => Effect.Effect<FoundVariables, StorageUnreachable> }
>()("flow/variables/TenantVariables") {
  static readonly layer = Layer.effect(
    TenantVariables,
    Effect.gen(function* () {
      const conf = yield* Conf
      const { environment } = yield* Settings
      const chosen = environment === undefined ? {} : { environment }

      const bytesOf = (tenant: TenantId, path: string) =>
        conf.open(tenant, path).pipe(
          // One byte more than may be, so that a larger file is noticed.
          Effect.flatMap(({ size, read }) =>
            Stream.mkUint8Array(read({ start: 0, end: Math.min(size, variableBytes + 1) }))
          ),
          Effect.scoped,
          Effect.catchTag(["NotFound", "DirectoryRead"], () => Effect.undefined)
        )

      return TenantVariables.of({
        of: Effect.fn("TenantVariables.of")(function* (tenant) {
          for (const name of files) {
            const bytes = yield* bytesOf(tenant, name)
            if (bytes === undefined) continue
            if (bytes.length > variableBytes) {
              return { values: {}, ...chosen, fault: `${name} has more than ${variableBytes} bytes` }
            }
            const found = readVariables({ name, bytes }, environment)
            return Result.isSuccess(found)
              ? { values: found.success, ...chosen }
              : { values: {}, ...chosen, fault: faultText(name, found.failure) }
          }
          return { values: {}, ...chosen }
        })
      })
    })
  )
}
