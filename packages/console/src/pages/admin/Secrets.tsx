import { useMemo, useState } from "react"
import { useAnswer } from "../../app/answer.ts"
import { answering, gateway } from "../../app/gateway.ts"
import { useMay } from "../../app/session.ts"
import { toast } from "../../app/toasts.ts"
import { Button } from "../../parts/Button.tsx"
import { Confirm } from "../../parts/Confirm.tsx"
import { FormDialog } from "../../parts/FormDialog.tsx"
import { Badge } from "../../parts/Frame.tsx"
import pages from "../../parts/pages.module.css"
import parts from "../../parts/parts.module.css"
import type { Column } from "../../parts/Table.tsx"
import { Time } from "../../parts/Time.tsx"
import { admin, common } from "../../texts/en.ts"
import css from "./admin.module.css"
import { TenantList } from "./TenantList.tsx"

const t = admin.secrets

interface Secret {
  readonly name: string
  readonly source: keyof typeof t.sources
  readonly updatedAt?: string
  readonly keyId?: string
  readonly setBy?: string
}

const namePattern = "[A-Z][A-Z0-9_]{0,63}"

/** Creates a secret or sets a new value. The typed value is dropped when the dialog closes. */
const SetSecret = ({
  tenant,
  given,
  again,
  close
}: {
  readonly tenant: string
  readonly given: string
  /** Reads the secrets again. */
  readonly again: () => void
  readonly close: () => void
}) => {
  const [name, setName] = useState(given)
  const [value, setValue] = useState("")
  const [isShown, setShown] = useState(false)
  const set = async () => {
    await answering(() => gateway.secrets.put({ params: { tenant, name }, payload: { value } }))
    toast(t.wasSet(name))
    again()
  }
  return (
    <FormDialog
      title={given === "" ? t.set : `${t.setNew}: ${given}`}
      action={t.set}
      isReady={name !== "" && value !== ""}
      act={set}
      close={close}
    >
      <label className={pages.field}>
        {common.name}
        <input
          value={name}
          pattern={namePattern}
          required
          readOnly={given !== ""}
          autoComplete="off"
          spellCheck={false}
          onChange={({ target }) => setName(target.value)}
        />
        <small>{t.nameHelp}</small>
      </label>
      <label className={pages.field}>
        {t.value}
        <textarea
          className={isShown ? undefined : css.masked}
          value={value}
          rows={4}
          required
          autoComplete="off"
          spellCheck={false}
          onChange={({ target }) => setValue(target.value)}
        />
        <small>{t.valueHelp}</small>
      </label>
      <label>
        <input type="checkbox" checked={isShown} onChange={({ target }) => setShown(target.checked)} /> {t.show}
      </label>
    </FormDialog>
  )
}

const columnsOf = (
  set: (name: string) => void,
  remove: (name: string) => void,
  may: boolean
): ReadonlyArray<Column<Secret>> => [
  {
    id: "name",
    title: common.name,
    value: ({ name }) => name,
    cell: ({ name }) => <code>{name}</code>,
    width: "minmax(180px, 2fr)"
  },
  {
    id: "source",
    title: t.source,
    value: ({ source }) => source,
    cell: ({ source }) => <Badge tone={source === "store" ? "good" : "plain"}>{t.sources[source]}</Badge>,
    width: "120px"
  },
  {
    id: "updated",
    title: t.updated,
    value: ({ updatedAt }) => updatedAt ?? "",
    cell: ({ updatedAt }) => <Time at={updatedAt} />,
    width: "minmax(200px, 1fr)"
  },
  { id: "by", title: t.by, value: ({ setBy }) => setBy ?? "", cell: ({ setBy }) => setBy },
  { id: "key", title: t.key, value: ({ keyId }) => keyId ?? "", cell: ({ keyId }) => keyId },
  {
    id: "actions",
    title: common.actions,
    cell: ({ name, source }) =>
      may ? (
        <span className={css.actions}>
          <Button className={parts.button} aria-label={`${t.setNew} ${name}`} onPress={() => set(name)}>
            {t.setNew}
          </Button>
          {source === "store" ? (
            <Button className={parts.button} aria-label={`${common.remove} ${name}`} onPress={() => remove(name)}>
              {common.remove}
            </Button>
          ) : null}
        </span>
      ) : null,
    width: "190px"
  }
]

/** The names of the secrets that flowlines may refer to. The gateway never answers a value. */
export const Secrets = ({ tenant }: { readonly tenant: string }) => {
  const may = useMay("admin")
  const answer = useAnswer((signal) => gateway.secrets.list({ params: { tenant } }, { signal }), [tenant])
  const { again } = answer
  const [set, setSet] = useState<string>()
  const [removed, setRemoved] = useState<string>()
  const columns = useMemo(() => columnsOf(setSet, setRemoved, may), [may])
  const button = may ? (
    <Button className={parts.primary} onPress={() => setSet("")}>
      {t.set}
    </Button>
  ) : null
  return (
    <>
      <TenantList
        answer={answer}
        label={admin.views.secrets}
        columns={columns}
        keyOf={({ name }) => name}
        sort={{ id: "name", desc: false }}
        empty={t.empty}
        make={button}
      >
        <p>{t.emptyText}</p>
        <pre className={pages.code}>{'headers: { Authorization: "Bearer $' + '{secret:COLLECTOR_TOKEN}" }'}</pre>
      </TenantList>
      {set === undefined ? null : (
        <SetSecret tenant={tenant} given={set} again={again} close={() => setSet(undefined)} />
      )}
      {removed === undefined ? null : (
        <Confirm
          title={t.removeTitle(removed)}
          action={common.remove}
          act={async () => {
            await answering(() => gateway.secrets.remove({ params: { tenant, name: removed } }))
            again()
          }}
          close={() => setRemoved(undefined)}
        >
          <p>{t.removeText}</p>
        </Confirm>
      )}
    </>
  )
}
