import { useState } from "react"
import { useAnswer } from "../../app/answer.ts"
import { answering, gateway } from "../../app/gateway.ts"
import { addressOf, go, staying } from "../../app/location.ts"
import { useOnce } from "../../app/repeat.ts"
import { toast } from "../../app/toasts.ts"
import { Button } from "../../parts/Button.tsx"
import { Dialog } from "../../parts/Dialog.tsx"
import { DialogEnd } from "../../parts/DialogEnd.tsx"
import { Loading } from "../../parts/Frame.tsx"
import { issuesOf, Problem } from "../../parts/Problem.tsx"
import css from "../../parts/pages.module.css"
import look from "../../parts/parts.module.css"
import { useAction } from "../../parts/useAction.ts"
import { common, flowlines } from "../../texts/en.ts"
import { Fields } from "./Fields.tsx"
import { hasParameters, withValue } from "./parameters.ts"

const t = flowlines.run

/** Runs the saved flowline with values for its parameters, and opens the run. */
const RunDialog = ({
  tenant,
  id,
  isDirty,
  close
}: {
  readonly tenant: string
  readonly id: string
  readonly isDirty: boolean
  readonly close: () => void
}) => {
  const { value, error, again } = useAnswer(
    (signal) => gateway.flowlines.get({ params: { tenant, id }, query: {} }, { signal }),
    [tenant, id]
  )
  const [given, setGiven] = useState<Readonly<Record<string, unknown>>>({})
  const once = useOnce()
  const schema = value?.parameters
  const {
    act,
    isBusy,
    error: failure
  } = useAction(async () => {
    const isHere = staying()
    const { id: executionId } = await answering(() =>
      gateway.flowlines.execute(
        { params: { tenant, id }, query: {}, payload: { parameters: given } },
        once([tenant, id, given])
      )
    )
    if (isHere()) go(addressOf(["runs", id, executionId]))
    else toast(common.started)
  }, close)
  const faults = issuesOf(failure)
  return (
    <Dialog title={t.title} close={close}>
      {isDirty ? <p>{t.unsaved}</p> : null}
      <Problem error={error} again={again} />
      {value === undefined ? (
        <Loading error={error} />
      ) : hasParameters(schema) ? (
        <Fields
          root={schema}
          schema={schema}
          value={given}
          path={[]}
          change={(path, next) => setGiven((before) => withValue(before, path, next))}
          faultOf={(path) => faults.find(({ pointer }) => pointer === `/parameters/${path.join("/")}`)?.detail}
          isDisabled={isBusy}
        />
      ) : (
        <p className={css.dim}>{t.noParameters}</p>
      )}
      <DialogEnd error={failure} isBusy={isBusy} close={close}>
        <Button className={look.primary!} onPress={act} isDisabled={isBusy || value === undefined}>
          {t.run}
        </Button>
      </DialogEnd>
    </Dialog>
  )
}

export default RunDialog
