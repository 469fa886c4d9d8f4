import { bank } from "../../languages/grok/banks/Banks.ts"
import { examples } from "../../languages/grok/banks/examples.ts"
import { definitionsOf, type TenantDefinitions } from "../../languages/grok/TenantDefinitions.ts"
import type { Bank, ecsChoices } from "./Bank.ts"

/** The built-in patterns, and in their place what the tenant defines. */
export const bankOf = (ecsCompatibility: (typeof ecsChoices)[number], shared: TenantDefinitions): typeof Bank.Type => {
  const patterns = new Map<string, (typeof Bank.Type)["patterns"][number]>()
  for (const [name, regex] of bank(ecsCompatibility === "v1" ? "ecs-v1" : "legacy")) {
    const example = examples.get(name)
    patterns.set(name, example === undefined ? { name, regex } : { name, regex, example })
  }
  for (const [name, { regex, source = "" }] of definitionsOf(shared)) patterns.set(name, { name, regex, source })
  const byName = [...patterns.values()].sort(({ name: one }, { name: other }) => (one < other ? -1 : 1))
  return { patterns: byName, leftOut: shared.leftOut }
}
