import { usePath, useQuery } from "../../app/location.ts"
import { useTenant } from "../../app/tenant.ts"
import { Frame, NoPage } from "../../parts/Frame.tsx"
import { Later } from "../../parts/Later.tsx"
import { runs } from "../../texts/en.ts"
import { RunList } from "./RunList.tsx"
import { listViews } from "./views.ts"

const run = () => import("./RunPage.tsx")
const archives = () => import("./ArchiveList.tsx")
const files = () => import("./FileList.tsx")

/** Runs: `runs`, `runs?view=archives`, `runs?view=files`, and `runs/<flowline>/<execution>`. */
const RunsPage = () => {
  const [, flowlineId, executionId, ...more] = usePath()
  const [view] = useQuery("view")
  const tenant = useTenant()
  if (more.length > 0 || (flowlineId !== undefined && executionId === undefined)) {
    return (
      <Frame title={runs.title} views={listViews()}>
        <NoPage />
      </Frame>
    )
  }
  if (flowlineId !== undefined && executionId !== undefined) {
    const key = `${tenant}/${flowlineId}/${executionId}`
    return <Later key={key} load={run} props={{ tenant, flowlineId, executionId }} />
  }
  if (view === "archives") return <Later key={`${tenant} archives`} load={archives} props={{ tenant }} />
  if (view === "files") return <Later key={`${tenant} files`} load={files} props={{ tenant }} />
  return <RunList tenant={tenant} />
}

export default RunsPage
