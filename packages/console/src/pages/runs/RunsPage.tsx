import { usePath, useQuery } from "../../app/location.ts"
import { useTenant } from "../../app/tenant.ts"
import { Later } from "../../parts/Later.tsx"
import { RunList } from "./RunList.tsx"

const run = () => import("./RunPage.tsx")
const archives = () => import("./ArchiveList.tsx")
const files = () => import("./FileList.tsx")

/** Runs: `runs`, `runs?view=archives`, `runs?view=files`, and `runs/<flowline>/<execution>`. */
const RunsPage = () => {
  const [, flowlineId, executionId] = usePath()
  const [view] = useQuery("view")
  const tenant = useTenant()
  if (flowlineId !== undefined && executionId !== undefined) {
    const key = `${tenant}/${flowlineId}/${executionId}`
    return <Later key={key} load={run} props={{ tenant, flowlineId, executionId }} />
  }
  if (view === "archives") return <Later key={`${tenant} archives`} load={archives} props={{ tenant }} />
  if (view === "files") return <Later key={`${tenant} files`} load={files} props={{ tenant }} />
  return <RunList tenant={tenant} />
}

export default RunsPage
