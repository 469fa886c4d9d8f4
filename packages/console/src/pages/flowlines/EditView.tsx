import { useState } from "react"
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
  current
}: {
  readonly tenant: string
  /** Empty for a new flowline. */
  readonly id: string
  readonly current: Answer<Current> | undefined
}) => {
  const [test] = useState(() => (id === "" ? fromFragment(location.hash) : undefined))
  const loaded = useLoaded(yamlTools, test !== undefined)
  const [hasDraft] = useState(() => draftsOf(tenant, id).first !== undefined)
  const isWaiting = test !== undefined && loaded === undefined
  if (isWaiting || (id !== "" && current?.value === undefined && !hasDraft)) {
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
  return <Editing tenant={tenant} id={id} current={current} begin={begin} given={test && loaded?.flowlineOf(test)} />
}

export default EditView
