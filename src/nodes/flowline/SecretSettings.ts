import { componentOf, type Flowline } from "../../protocol/Flowline.ts"
import { type SecretValues, secretReferences, textsOf, withSecrets } from "../../protocol/Secrets.ts"
import { catalogue } from "../Catalogue.ts"

/** Names of the settings of a node of this type whose texts may refer to secrets; undefined when all may. */
export const secretSettings = (type: string): ReadonlyArray<string> | undefined => {
  const known = catalogue.get(type)
  // The tenant's own nodes, whose settings only their programs read.
  return known === undefined ? undefined : (known.secrets ?? [])
}

export const mayHoldSecrets = (type: string, setting: string): boolean =>
  secretSettings(type)?.includes(setting) ?? true

/** The names of the secrets that a flowline uses, with the component that first does. */
export const secretsOf = ({ dag }: Flowline): ReadonlyMap<string, string> => {
  const found = new Map<string, string>()
  for (const node of dag) {
    for (const [[setting], text] of textsOf(node.settings)) {
      if (!mayHoldSecrets(node.type, String(setting))) continue
      for (const { name } of secretReferences(text)) {
        if (name !== undefined && !found.has(name)) found.set(name, componentOf(node))
      }
    }
  }
  return found
}

/** The flowline as it runs: with the secrets in place of their references. */
export const flowlineWithSecrets = (flowline: Flowline, values: SecretValues): Flowline => {
  const [first, ...rest] = flowline.dag
  const filled = (node: Flowline["dag"][0]) => ({
    ...node,
    settings: Object.fromEntries(
      Object.entries(node.settings).map(([name, setting]) => [
        name,
        // Other settings have no references, but may have escaped ones.
        withSecrets(setting, mayHoldSecrets(node.type, name) ? values : {})
      ])
    )
  })
  return { ...flowline, dag: [filled(first), ...rest.map(filled)] }
}
