import type { TenantDefinitions } from "../languages/grok/TenantDefinitions.ts"
import type { Runtime } from "../protocol/Flowline.ts"
import { checkFilter, checkFlowlet } from "./FlowletCheck.ts"
import { parquetElsewhere } from "./formats/Writer.ts"
import type { NodeType, SettingsIssue } from "./Node.ts"
import { extensionOf } from "./Paths.ts"
import { checkIndex, checkSearch } from "./SearchCheck.ts"

type Checked = Required<Pick<NodeType, "check">>

/** The checks that load much: a run, whose memory counts, does without them. */
const checks: ReadonlyMap<string, Checked> = new Map<string, Checked>([
  ["flowlet", { check: checkFlowlet }],
  ["filter", { check: checkFilter }],
  ["search_input", { check: checkSearch }],
  ["extraction_output", { check: checkSearch }]
])

/** An output that would write Parquet where nothing can. */
const parquetFaults = (node: NodeType, settings: unknown, runtime: Runtime | undefined) => {
  const name = node.type === "file_output" ? "path" : "entry"
  if (!["file_output", "archive_output"].includes(node.type) || runtime === undefined || runtime === "analytics")
    return []
  const { format, [name]: target } = Object(settings)
  if (format === "parquet") return [{ path: ["format"], detail: parquetElsewhere }]
  const isNamedSo = format === undefined && typeof target === "string" && extensionOf(target) === "parquet"
  return isNamedSo ? [{ path: [name], detail: `${parquetElsewhere}; set format to write something else` }] : []
}

/** Settings that only one runtime can do. */
const followFaults = (node: NodeType, settings: unknown, runtime: Runtime | undefined): ReadonlyArray<SettingsIssue> =>
  node.type === "file_input" && Object(settings).follow === true && runtime !== undefined && runtime !== "stream"
    ? [{ path: ["follow"], detail: "Only stream flowlines follow files" }]
    : []

/** The faults of a node's decoded settings that its schema cannot see; `tenant` is whose flowline it is. */
export const checkSettings = (
  node: NodeType,
  settings: unknown,
  runtime?: Runtime,
  patterns?: TenantDefinitions,
  tenant?: string
): ReadonlyArray<SettingsIssue> => [
  ...(node.check?.(settings, patterns) ?? []),
  ...(checks.get(node.type)?.check(settings) ?? []),
  ...(tenant === undefined ? [] : checkIndex(node.type, settings, tenant)),
  ...parquetFaults(node, settings, runtime),
  ...followFaults(node, settings, runtime)
]
