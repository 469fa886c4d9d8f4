import { Layer } from "effect"
import * as Anonymous from "./Anonymous.ts"
import * as FileRules from "./FileRules.ts"

/** Who may do what, and how much of it. */
export const layer = FileRules.layer.pipe(Layer.provideMerge(Anonymous.layer))
