import { useRef } from "react"
import { useAnswer } from "../../app/answer.ts"
import { addressOf, go, usePath } from "../../app/location.ts"
import { useTenant } from "../../app/tenant.ts"
import { toast } from "../../app/toasts.ts"
import { Frame, NoPage } from "../../parts/Frame.tsx"
import { Later } from "../../parts/Later.tsx"
import { common, flowlines } from "../../texts/en.ts"
import { currentOf } from "./model.ts"

const views = {
  list: () => import("./ListView.tsx").then(({ ListView }) => ({ default: ListView })),
  edit: () => import("./EditView.tsx"),
  versions: () => import("./OtherViews.tsx").then(({ Versions }) => ({ default: Versions })),
  schedules: () => import("./OtherViews.tsx").then(({ Schedules }) => ({ default: Schedules }))
}

const failed = () => toast(common.notLoaded)

/** A flowline: its text, its versions or its schedules. */
const Flowline = ({
  tenant,
  id,
  view,
  made
}: {
  readonly tenant: string
  /** Empty for a new one. */
  readonly id: string
  readonly view: string
  readonly made: (id: string) => void
}) => {
  const isNew = id === ""
  // Polled, so that the user sees what others save.
  const current = useAnswer(isNew ? undefined : (signal) => currentOf(tenant, id, signal), [tenant, id], 20_000)
  const props = { tenant, id, current }
  if (view === "versions") return <Later key={view} load={views.versions} props={props} failed={failed} />
  if (view === "schedules") return <Later key={view} load={views.schedules} props={props} failed={failed} />
  if (view !== "") {
    return (
      <Frame title={flowlines.title}>
        <NoPage />
      </Frame>
    )
  }
  return (
    <Later
      key={view}
      load={views.edit}
      props={{ ...props, current: isNew ? undefined : current, made }}
      failed={failed}
    />
  )
}

/** Flowlines: `flowlines`, `flowlines/new`, `flowlines/<id>`, `flowlines/<id>/versions`, `flowlines/<id>/schedules`. */
const FlowlinesPage = () => {
  const tenant = useTenant()
  const [, id, view = ""] = usePath()
  // An editor stays when its new flowline gets an id: somebody may be typing. The next one is another editor.
  const editors = useRef(new Map<string, string>())
  const editorOf = (name: string) => editors.current.get(name) ?? name
  if (tenant === "") return null
  if (id === undefined) return <Later load={views.list} props={{ tenant }} failed={failed} />
  const made = (next: string) => {
    editors.current.set(next, editorOf(id)).set(id, `${editorOf(id)} ${next}`)
    go(addressOf(["flowlines", next]), "replace")
  }
  return (
    <Flowline
      key={`${tenant} ${editorOf(id)}`}
      tenant={tenant}
      id={id === "new" ? "" : id}
      view={id === "new" ? "" : view}
      made={made}
    />
  )
}

export default FlowlinesPage
