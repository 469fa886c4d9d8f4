import { checkFlowlet } from "./FlowletCheck.ts"
import type { NodeType, SettingsIssue } from "./Node.ts"

type Checked = Required<Pick<NodeType, "check">>

/** The checks that load much: a run, whose memory counts, does without them. */
const checks: ReadonlyMap<string, Checked> = new Map<string, Checked>([["flowlet", { check: checkFlowlet }]])

/** The faults of a node's decoded settings that its schema cannot see. */
export const checkSettings = (node: NodeType, settings: unknown): ReadonlyArray<SettingsIssue> =>
  node.check?.(settings) ?? checks.get(node.type)?.check(settings) ?? []
