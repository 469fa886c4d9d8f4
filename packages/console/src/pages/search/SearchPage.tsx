import { useAnswer } from "../../app/answer.ts"
import { gatewayBase } from "../../app/base.ts"
import { gateway } from "../../app/gateway.ts"
import { addressOf, useQuery } from "../../app/location.ts"
import { useTenant } from "../../app/tenant.ts"
import { Command } from "../../parts/Command.tsx"
import { Empty, Frame, Loading } from "../../parts/Frame.tsx"
import { Problem } from "../../parts/Problem.tsx"
import { search as t } from "../../texts/en.ts"
import { Explorer } from "./Explorer.tsx"
import { Indices } from "./Indices.tsx"

/** `search`: documents of the tenant's indices. With `?view=indices`: the indices themselves. */
const SearchPage = () => {
  const tenant = useTenant()
  const [view] = useQuery("view")
  const { value, error, again } = useAnswer(
    tenant === "" ? undefined : (signal) => gateway.search.indices({ params: { tenant } }, { signal }),
    [tenant]
  )
  const isIndices = view === "indices"
  return (
    <Frame
      title={t.title}
      views={[
        { title: t.documentsTitle, to: addressOf(["search"]), current: !isIndices },
        { title: t.indices, to: addressOf(["search"], { view: "indices" }), current: isIndices }
      ]}
    >
      <Problem error={error} again={again} />
      {value === undefined ? (
        <Loading error={error} />
      ) : value.length === 0 ? (
        <Empty title={t.emptyTitle}>
          <p>{t.empty}</p>
          <Command lead={t.emptyCurl} text={t.curl(gatewayBase, tenant)} />
        </Empty>
      ) : isIndices ? (
        <Indices key={tenant} tenant={tenant} indices={value} again={again} />
      ) : (
        <Explorer key={tenant} tenant={tenant} indices={value} refresh={again} />
      )}
    </Frame>
  )
}

export default SearchPage
