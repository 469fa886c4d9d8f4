import { positionOf } from "../../../languages/document/DocumentSource.ts"
import { mayHoldSecrets, secretSettings } from "../../../nodes/flowline/SecretSettings.ts"
import { secretReferences } from "../../../protocol/Secrets.ts"
import type { Finding } from "./Finding.ts"

const malformed =
  `A reference to a secret is \${secret:NAME}, whose name is a capital letter and at most 63 capital letters, digits ` +
  `and _. For the text itself, write $\${secret:`

/** Members that only people read. */
const prose = new Set(["name", "description"])

/** Whether the text at this path may refer to secrets; otherwise why not. */
const refusal = (path: ReadonlyArray<PropertyKey>, dag: unknown): string | undefined => {
  const [list, index, part, setting] = path
  if (list !== "dag" || part !== "settings" || typeof index !== "number" || setting === undefined) {
    return "Only settings of nodes can refer to secrets"
  }
  const node: unknown = Array.isArray(dag) ? dag[index] : undefined
  const type = typeof node === "object" && node !== null && "type" in node ? String(node.type) : ""
  if (mayHoldSecrets(type, String(setting))) return undefined
  const others = secretSettings(type) ?? []
  const where = others.length === 0 ? "no setting of it can" : `only ${others.join(" and ")} can`
  return `The setting ${String(setting)} of ${type} cannot refer to a secret, as it is read when the flowline is saved: ${where}`
}

/** The faults of the references to secrets in a flowline that may be faulty elsewhere. */
export const checkSecrets = (value: unknown): ReadonlyArray<Finding> => {
  const findings: Array<Finding> = []
  const dag: unknown = typeof value === "object" && value !== null && "dag" in value ? value.dag : undefined
  const visit = (part: unknown, path: ReadonlyArray<PropertyKey>): void => {
    if (typeof part === "string") {
      for (const { name, at } of secretReferences(part)) {
        const detail = refusal(path, dag) ?? (name === undefined ? malformed : undefined)
        if (detail !== undefined) findings.push({ path, detail, inside: positionOf(part, at) })
      }
    } else if (Array.isArray(part)) {
      for (const [index, item] of part.entries()) visit(item, [...path, index])
    } else if (typeof part === "object" && part !== null) {
      for (const [key, member] of Object.entries(part)) {
        const inner = [...path, key]
        if (secretReferences(key).length > 0)
          findings.push({ path: inner, detail: "A key cannot refer to a secret", key: true })
        const isProse = prose.has(key) && (path.length === 0 || (path.length === 2 && path[0] === "dag"))
        if (!isProse) visit(member, inner)
      }
    }
  }
  visit(value, [])
  return findings
}
