import { useRef, useState } from "react"
import type { Answer } from "../../app/answer.ts"
import { Problem } from "../../parts/Problem.tsx"
import css from "../../parts/pages.module.css"
import { common, flowlines } from "../../texts/en.ts"
import { draftsOf } from "./Drafts.ts"
import { Editing } from "./Editing.tsx"
import { example, exampleFlowline, fromFragment } from "./examples.ts"
import { FlowlineFrame } from "./FlowlineFrame.tsx"
import { useLoaded } from "./late.ts"
import type { Current } from "./model.ts"
import { yamlTools } from "./tools.ts"

const begin = { text: example, flowline: exampleFlowline }

/** The editor of a flowline, shown as soon as a text is there: the gateway's, or a stored draft. */
const EditView = ({
  tenant,
  id,
  current,
  made
}: {
  readonly tenant: string
  /** Empty for a new flowline. */
  readonly id: string
  readonly current: Answer<Current> | undefined
  /** Shows the flowline as which a new one was saved. */
  readonly made: (id: string) => void
}) => {
  const [test] = useState(() => (id === "" ? fromFragment(location.hash) : undefined))
  const loaded = useLoaded(yamlTools, test !== undefined)
  const [hasDraft] = useState(() => draftsOf(tenant, id).first !== undefined)
  const isWaiting = test !== undefined && loaded === undefined
  const isShown = useRef(false)
  isShown.current ||= !isWaiting && (id === "" || current?.value !== undefined || hasDraft)
  if (!isShown.current) {
    return (
      <FlowlineFrame id={id} name={id === "" ? flowlines.create : id} view="edit">
        {current?.error === undefined ? (
          <p className={css.dim}>{common.loading}</p>
        ) : (
          <Problem error={current.error} again={current.again} />
        )}
      </FlowlineFrame>
    )
  }
  const given = test && loaded?.flowlineOf(test)
  return <Editing tenant={tenant} id={id} current={current} begin={begin} given={given} made={made} />
}

export default EditView
