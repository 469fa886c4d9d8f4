import { answering, gateway } from "../../app/gateway.ts"
import { addressOf, go, staying } from "../../app/location.ts"
import { toast } from "../../app/toasts.ts"
import { Confirm } from "../../parts/Confirm.tsx"
import { common, flowlines } from "../../texts/en.ts"

const t = flowlines.remove

/** Deletes a flowline after confirmation. */
const RemoveDialog = ({
  tenant,
  id,
  name,
  close
}: {
  readonly tenant: string
  readonly id: string
  readonly name: string
  readonly close: () => void
}) => (
  <Confirm
    title={t.title(name)}
    action={common.remove}
    close={close}
    act={async () => {
      const isHere = staying()
      await answering(() => gateway.flowlines.remove({ params: { tenant, id } }))
      toast(t.done(name))
      if (isHere()) go(addressOf(["flowlines"]))
    }}
  >
    <p>{t.help}</p>
  </Confirm>
)

export default RemoveDialog
