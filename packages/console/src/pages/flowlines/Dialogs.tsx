import { LaterDialog } from "../../parts/Later.tsx"
import type { NodeDescriptor } from "./model.ts"

const dialogs = {
  run: () => import("./RunDialog.tsx"),
  add: () => import("./AddDialog.tsx"),
  remove: () => import("./RemoveDialog.tsx")
}

export type Open = keyof typeof dialogs

/** The dialogs of the editor, each loaded when it is opened. */
export const Dialogs = ({
  tenant,
  id,
  name,
  open,
  isDirty,
  nodes,
  after,
  add,
  close
}: {
  readonly tenant: string
  readonly id: string
  readonly name: string
  readonly open: Open | undefined
  readonly isDirty: boolean
  readonly nodes: ReadonlyMap<string, NodeDescriptor>
  readonly after: string | undefined
  readonly add: (node: NodeDescriptor) => void
  readonly close: () => void
}) => {
  switch (open) {
    case "run":
      return <LaterDialog load={dialogs.run} props={{ tenant, id, isDirty, close }} />
    case "add":
      return <LaterDialog load={dialogs.add} props={{ nodes, after, add, close }} />
    case "remove":
      return <LaterDialog load={dialogs.remove} props={{ tenant, id, name, close }} />
    default:
      return null
  }
}
