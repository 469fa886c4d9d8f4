import type { ComponentProps } from "react"
import { Later } from "./Later.tsx"
import type Plot from "./Plot.tsx"
import css from "./pages.module.css"

const load = () => import("./Plot.tsx")

/** A plot that is loaded when it is shown. Its space is reserved before. */
export const LazyPlot = (props: ComponentProps<typeof Plot>) => (
  <div className={css.plotPlace} style={{ minHeight: props.height + 24 }}>
    <Later load={load} props={props} />
  </div>
)
