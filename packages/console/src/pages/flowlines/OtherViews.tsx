import type { Answer } from "../../app/answer.ts"
import { Problem } from "../../parts/Problem.tsx"
import { FlowlineFrame } from "./FlowlineFrame.tsx"
import type { Current } from "./model.ts"
import { nameOf } from "./model.ts"
import SchedulesView from "./SchedulesView.tsx"
import VersionsView from "./VersionsView.tsx"

interface Props {
  readonly tenant: string
  readonly id: string
  readonly current: Answer<Current>
}

export const Versions = ({ tenant, id, current }: Props) => (
  <FlowlineFrame id={id} name={nameOf(current.value?.flowline ?? {}, id)} view="versions">
    <Problem error={current.value === undefined ? current.error : undefined} again={current.again} />
    <VersionsView tenant={tenant} id={id} changed={current.again} />
  </FlowlineFrame>
)

export const Schedules = ({ tenant, id, current }: Props) => (
  <FlowlineFrame id={id} name={nameOf(current.value?.flowline ?? {}, id)} view="schedules">
    <Problem error={current.value === undefined ? current.error : undefined} again={current.again} />
    <SchedulesView tenant={tenant} id={id} />
  </FlowlineFrame>
)
