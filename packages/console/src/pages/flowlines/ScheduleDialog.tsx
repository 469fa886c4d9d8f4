import { useId, useState } from "react"
import { useAnswer } from "../../app/answer.ts"
import { answering, gateway } from "../../app/gateway.ts"
import { useMounted } from "../../app/mounted.ts"
import { Button } from "../../parts/Button.tsx"
import { Dialog } from "../../parts/Dialog.tsx"
import { DialogEnd } from "../../parts/DialogEnd.tsx"
import { issuesOf } from "../../parts/Problem.tsx"
import css from "../../parts/pages.module.css"
import look from "../../parts/parts.module.css"
import { useAction } from "../../parts/useAction.ts"
import { common, flowlines } from "../../texts/en.ts"
import { Fields } from "./Fields.tsx"
import own from "./flowlines.module.css"
import type { Schedule } from "./model.ts"
import { hasParameters, withValue } from "./parameters.ts"
import { type Kind, kinds, others, triggerOf, triggers } from "./scheduleForm.ts"
import type { Path } from "./schema.ts"

const t = flowlines.schedules

type Members = Readonly<Record<string, unknown>>

const kindOf = (schedule: Schedule | undefined): Kind =>
  kinds.find((kind) => schedule?.trigger[kind] !== undefined) ?? "cron"

/**
 * Creates or changes a schedule of a flowline. A new webhook's token is passed to `made`, because it is shown only
 * once, with whether this dialog is still open.
 */
const ScheduleDialog = ({
  tenant,
  id,
  schedule,
  names,
  made,
  close
}: {
  readonly tenant: string
  readonly id: string
  readonly schedule: Schedule | undefined
  /** Those of the tenant's schedules. */
  readonly names: ReadonlyArray<string>
  readonly made: (name: string, token: string | undefined, isOpen: boolean) => void
  readonly close: () => void
}) => {
  const fieldId = useId()
  const isOpen = useMounted()
  const [name, setName] = useState(schedule?.name ?? "")
  const [kind, setKind] = useState<Kind>(kindOf(schedule))
  const [trigger, setTrigger] = useState<Members>({ ...schedule?.trigger })
  const [rest, setRest] = useState<Members>(() =>
    Object.fromEntries(
      ["description", "version", "overlap", "catchUp", "jitter"].flatMap((key) => {
        const value = (schedule as Members | undefined)?.[key]
        return value === undefined ? [] : [[key, value]]
      })
    )
  )
  const [parameters, setParameters] = useState<Members>(schedule?.parameters ?? {})
  const { value: flowline } = useAnswer(
    (signal) => gateway.flowlines.get({ params: { tenant, id }, query: {} }, { signal }),
    [tenant, id]
  )
  const schema = flowline?.parameters
  const {
    act: save,
    isBusy,
    error: failure
  } = useAction(async () => {
    const payload = {
      flowline: id,
      ...rest,
      trigger: triggerOf(kind, trigger),
      ...(Object.keys(parameters).length === 0 ? {} : { parameters })
    }
    const stored = await answering(() => gateway.schedules.put({ params: { tenant, name: name.trim() }, payload }))
    made(name.trim(), stored.token, isOpen.current)
  }, close)
  const faults = issuesOf(failure)
  const faultOf = (below: string) => (path: Path) =>
    faults.find(({ pointer }) => pointer === `${below}${path.map((key) => `/${key}`).join("")}`)?.detail

  // Saving under the name of another schedule would replace that one.
  const isTaken = schedule === undefined && names.includes(name.trim())
  return (
    <Dialog title={schedule === undefined ? t.create : t.change(name)} close={close}>
      {schedule === undefined ? (
        <div className={css.field}>
          <label htmlFor={`${fieldId}-name`}>{t.name}</label>
          <input id={`${fieldId}-name`} value={name} onChange={({ target }) => setName(target.value)} />
          <small>{isTaken ? t.nameTaken : t.nameHelp}</small>
        </div>
      ) : null}
      <div className={css.field}>
        <label htmlFor={`${fieldId}-kind`}>{t.when}</label>
        <select
          id={`${fieldId}-kind`}
          value={kind}
          onChange={({ target }) => {
            setKind(kinds.find((one) => one === target.value) ?? "cron")
            setTrigger({})
          }}
        >
          {kinds.map((one) => (
            <option key={one} value={one}>
              {t.kinds[one]}
            </option>
          ))}
        </select>
      </div>
      <Fields
        key={kind}
        root={triggers[kind]}
        schema={triggers[kind]}
        value={kind === "cron" || kind === "every" ? trigger : { [kind]: {}, ...trigger }}
        path={[]}
        change={(path, value) => setTrigger((before) => withValue(before, path, value))}
        faultOf={faultOf("/trigger")}
        isDisabled={isBusy}
      />
      {hasParameters(schema) ? (
        <fieldset className={own.set}>
          <legend>{t.parameters}</legend>
          <Fields
            root={schema}
            schema={schema}
            value={parameters}
            path={[]}
            change={(path, value) => setParameters((before) => withValue(before, path, value))}
            faultOf={faultOf("/parameters")}
            isDisabled={isBusy}
          />
        </fieldset>
      ) : null}
      <details open={Object.keys(rest).length > 0}>
        <summary>{t.more}</summary>
        <Fields
          root={others}
          schema={others}
          value={rest}
          path={[]}
          change={(path, value) => setRest((before) => withValue(before, path, value))}
          faultOf={faultOf("")}
          isDisabled={isBusy}
        />
      </details>
      <DialogEnd error={failure} isBusy={isBusy} close={close}>
        <Button className={look.primary!} onPress={save} isDisabled={isBusy || isTaken || name.trim() === ""}>
          {common.save}
        </Button>
      </DialogEnd>
    </Dialog>
  )
}

export default ScheduleDialog
