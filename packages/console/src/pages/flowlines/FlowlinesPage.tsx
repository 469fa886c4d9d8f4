import { useAnswer } from "../../app/answer.ts"
import { usePath } from "../../app/location.ts"
import { useTenant } from "../../app/tenant.ts"
import { toast } from "../../app/toasts.ts"
import { Later } from "../../parts/Later.tsx"
import { common } from "../../texts/en.ts"
import { currentOf } from "./model.ts"

const views = {
  list: () => import("./ListView.tsx").then(({ ListView }) => ({ default: ListView })),
  edit: () => import("./EditView.tsx"),
  versions: () => import("./OtherViews.tsx").then(({ Versions }) => ({ default: Versions })),
  schedules: () => import("./OtherViews.tsx").then(({ Schedules }) => ({ default: Schedules }))
}

const failed = () => toast(common.notLoaded)

/** A saved flowline: its text, its versions or its schedules. */
const Saved = ({ tenant, id, view }: { readonly tenant: string; readonly id: string; readonly view: string }) => {
  // Polled, so that the user sees what others save.
  const current = useAnswer((signal) => currentOf(tenant, id, signal), [tenant, id], 20_000)
  const props = { tenant, id, current }
  if (view === "versions") return <Later load={views.versions} props={props} failed={failed} />
  if (view === "schedules") return <Later load={views.schedules} props={props} failed={failed} />
  return <Later key={id} load={views.edit} props={{ ...props, begin: "" }} failed={failed} />
}

/** Flowlines: `flowlines`, `flowlines/new`, `flowlines/<id>`, `flowlines/<id>/versions`, `flowlines/<id>/schedules`. */
const FlowlinesPage = () => {
  const tenant = useTenant()
  const [, id, view = ""] = usePath()
  if (tenant === "") return null
  if (id === undefined) return <Later load={views.list} props={{ tenant }} failed={failed} />
  if (id === "new")
    return <Later key={tenant} load={views.edit} props={{ tenant, id: "", current: undefined }} failed={failed} />
  return <Saved key={`${tenant} ${id}`} tenant={tenant} id={id} view={view} />
}

export default FlowlinesPage
