import { messageOf } from "../../parts/Problem.tsx"
import css from "../../parts/pages.module.css"
import { flowlines } from "../../texts/en.ts"
import own from "./flowlines.module.css"
import type { Issue } from "./model.ts"
import type { Check } from "./useCheck.ts"

const t = flowlines.faults

/** Maximum number of listed faults. */
const mostListed = 100

/** The faults of the text, as links to their places, and the warnings. The status line is always shown. */
export const FaultList = ({
  issues,
  check,
  isChecked,
  choose
}: {
  readonly issues: ReadonlyArray<Issue>
  readonly check: Check
  /** Whether the gateway is being asked. */
  readonly isChecked: boolean
  readonly choose: (issue: Issue) => void
}) => (
  <section className={own.faults} aria-label={t.title}>
    <p role="status" className={issues.length > 0 ? own.fault : css.dim}>
      {issues.length > 0
        ? t.count(issues.length)
        : !isChecked
          ? t.notChecked
          : check.state === "waiting"
            ? t.checking
            : check.state === "unknown"
              ? messageOf(check.error)
              : check.warnings.length > 0
                ? t.warnings(check.warnings.length)
                : t.none}
    </p>
    {issues.length === 0 ? null : (
      <ul>
        {issues.slice(0, mostListed).map((issue, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: faults have no names of their own.
          <li key={at}>
            <button type="button" className={own.faultLink} onClick={() => choose(issue)}>
              <b>{t.line(issue.line, issue.column)}</b> {issue.detail}
            </button>
          </li>
        ))}
      </ul>
    )}
    {check.warnings.length === 0 ? null : (
      <ul>
        {check.warnings.map((warning) => (
          <li key={warning} className={own.warning}>
            {warning}
          </li>
        ))}
      </ul>
    )}
  </section>
)
