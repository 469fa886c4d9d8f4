import { toast } from "../app/toasts.ts"
import { common } from "../texts/en.ts"
import { Later } from "./Later.tsx"
import type { TreeProps } from "./TreeGrid.tsx"

const load = () => import("./TreeGrid.tsx")
const failed = () => toast(common.notLoaded)

/**
 * Files with paths as a tree of folders, any number of them: only the rows that are seen are in the page. The arrow keys
 * go from row to row, and open and close folders; letters go to a name, and Enter opens a file. It is loaded when it is
 * shown, with its library.
 */
export const Tree = <A,>(props: TreeProps<A>) => <Later<TreeProps<A>> load={load} props={props} failed={failed} />
