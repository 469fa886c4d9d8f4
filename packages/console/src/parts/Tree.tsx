import { toast } from "../app/toasts.ts"
import { common } from "../texts/en.ts"
import { Later } from "./Later.tsx"
import type { TreeProps } from "./TreeGrid.tsx"

const load = () => import("./TreeGrid.tsx")
const failed = () => toast(common.notLoaded)

/**
 * Files with paths as a tree of folders, of any size: only the visible rows are rendered. The arrow keys move between
 * rows, and open and close folders; letters jump to a name, and Enter opens a file. The component is loaded with its
 * library when it is shown.
 */
export const Tree = <A,>(props: TreeProps<A>) => <Later<TreeProps<A>> load={load} props={props} failed={failed} />
