import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Effect, type Scope } from "effect"
import { temporary } from "./process-gateway.ts"

/** A configuration folder with two tenants; files are added below `folderOf(tenant)`. */
export const configuration: Effect.Effect<
  { readonly root: string; readonly folderOf: (tenant: string) => string },
  never,
  Scope.Scope
> = Effect.map(temporary, (root) => {
  const folderOf = (tenant: string) => join(root, "tenants", tenant)
  for (const tenant of ["mytenant", "othertenant"]) mkdirSync(folderOf(tenant), { recursive: true })
  writeFileSync(join(folderOf("othertenant"), "secret.txt"), "of another tenant")
  writeFileSync(join(root, "platform.yaml"), "platform: { platform_id: test }\nsecret_key: hidden-value\n")
  return { root, folderOf }
})
