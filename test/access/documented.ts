import { readFileSync } from "node:fs"

/** The table of roles in the documents: requests, and the role that each needs. */
export const documentedRoles: ReadonlyMap<string, string> = new Map(
  [...readFileSync("docs/security.md", "utf8").matchAll(/^\| `([A-Z]+ \/v1\/\S+)` \| `(\w+)` \|$/gm)].map(
    ([, request = "", role = ""]) => [request, role]
  )
)
