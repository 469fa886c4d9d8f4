import { unifiedDiff } from "../../../languages/diff/TextDiff.ts"
import type { FullVersion } from "../FlowlineStore.ts"
import type { FlowlineComparison } from "../VersionModels.ts"
import { flowlineDiff } from "./FlowlineDiff.ts"
import { definitionOf, fileOf, madeFile, textOf } from "./VersionTexts.ts"

/** Characters of a unified diff. */
const mostChars = 1024 * 1024

/** The changes from one version to another. It takes seconds for large files. */
export const compared = (from: FullVersion, to: FullVersion): FlowlineComparison => {
  const { added, removed, changed, changes, isCut } = flowlineDiff(definitionOf(from), definitionOf(to))
  // A text as it was sent and one that is made would differ in every line.
  const original = from.file !== undefined && to.file !== undefined
  const side = (version: FullVersion) => {
    const file = original ? fileOf(version) : madeFile(version)
    // A line feed in a name would end the line of the header.
    const name = (file.name ?? version.id).replace(/\p{Cc}/gu, "_")
    return { name: `${name}\tversion ${version.version}`, text: textOf(file) }
  }
  const diff = unifiedDiff(side(from), side(to), mostChars)
  return {
    id: from.id,
    from: from.version,
    to: to.version,
    same: [added, removed, changed, changes].every(({ length }) => length === 0),
    nodes: { added, removed, changed },
    changes,
    text: diff.text,
    original,
    truncated: isCut || diff.isCut
  }
}
