import type { ReactNode } from "react"
import { addressOf } from "../../app/location.ts"
import { Frame } from "../../parts/Frame.tsx"
import { flowlines } from "../../texts/en.ts"
import { runQuery } from "./model.ts"

const t = flowlines.views

/** The frame of a flowline: its name, what can be done with it, and its views. */
export const FlowlineFrame = ({
  id,
  name,
  view,
  actions,
  children
}: {
  /** Empty for a flowline that is not saved yet. */
  readonly id: string
  readonly name: string
  readonly view: "edit" | "versions" | "schedules"
  readonly actions?: ReactNode
  readonly children: ReactNode
}) => {
  const at = (...rest: ReadonlyArray<string>) => addressOf(["flowlines", id, ...rest])
  const views = [
    { title: t.edit, to: at(), current: view === "edit" },
    { title: t.versions, to: at("versions"), current: view === "versions" },
    { title: t.schedules, to: at("schedules"), current: view === "schedules" },
    { title: t.runs, to: addressOf(["runs"], runQuery(id)), current: false }
  ]
  return (
    <Frame
      title={name}
      above={{ title: flowlines.title, to: addressOf(["flowlines"]) }}
      actions={actions}
      {...(id === "" ? {} : { views })}
    >
      {children}
    </Frame>
  )
}
