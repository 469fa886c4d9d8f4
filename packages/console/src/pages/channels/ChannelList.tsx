import { useMemo, useState } from "react"
import { useAnswer } from "../../app/answer.ts"
import { gatewayBase } from "../../app/base.ts"
import { gateway } from "../../app/gateway.ts"
import { addressOf, go } from "../../app/location.ts"
import { useMay } from "../../app/session.ts"
import { Button } from "../../parts/Button.tsx"
import { Command } from "../../parts/Command.tsx"
import { Dialog } from "../../parts/Dialog.tsx"
import { Badge, Empty, Frame, Loading } from "../../parts/Frame.tsx"
import { Problem } from "../../parts/Problem.tsx"
import shared from "../../parts/pages.module.css"
import look from "../../parts/parts.module.css"
import { type Column, Table } from "../../parts/Table.tsx"
import { channels as t } from "../../texts/en.ts"
import { toneOf } from "./Channels.ts"
import { example } from "./Example.ts"

const every = 3000

type Entry = Awaited<ReturnType<typeof gateway.channels.list>>["children"][number]

const columns: ReadonlyArray<Column<Entry>> = [
  { id: "name", title: t.name, value: ({ name }) => name, cell: ({ name }) => name, width: "minmax(120px, 1fr)" },
  {
    id: "status",
    title: t.status,
    value: ({ status }) => status,
    cell: ({ status }) => <Badge tone={toneOf(status)}>{t.states[status]}</Badge>,
    width: "110px"
  },
  {
    id: "why",
    title: t.whyTitle,
    cell: ({ status, reason }) => reason ?? t.channelWhy[status],
    width: "minmax(160px, 4fr)"
  }
]

const isName = (name: string): boolean => /^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/.test(name)

/** Names a new channel. Its files come next; nothing is created before they are saved. */
const NewChannel = ({ names, close }: { readonly names: ReadonlyArray<string>; readonly close: () => void }) => {
  const [name, setName] = useState("")
  const fault = name === "" ? undefined : names.includes(name) ? t.nameTaken : isName(name) ? undefined : t.nameFault
  return (
    <Dialog title={t.newChannel} close={close}>
      <form
        className={shared.field}
        onSubmit={(event) => {
          event.preventDefault()
          if (name === "" || fault !== undefined) return
          close()
          go(addressOf(["channels", name], { view: "files" }))
        }}
      >
        <label className={shared.field}>
          {t.name}
          <input value={name} maxLength={63} spellCheck={false} onChange={({ target }) => setName(target.value)} />
          <small role="status">{fault ?? t.nameHelp}</small>
        </label>
        <div className={shared.actions}>
          <button type="submit" className={look.primary} disabled={name === "" || fault !== undefined}>
            {t.writeFiles}
          </button>
        </div>
      </form>
    </Dialog>
  )
}

export const ChannelList = ({ tenant }: { readonly tenant: string }) => {
  const [isNew, setNew] = useState(false)
  const mayMake = useMay("developer")
  const { value, error, again } = useAnswer(
    tenant === "" ? undefined : (signal) => gateway.channels.list({ params: { tenant } }, { signal }),
    [tenant],
    every
  )
  const rows = useMemo(() => (value === undefined ? [] : [...value.errors, ...value.children]), [value])
  const make = mayMake ? (
    <Button className={look.primary!} onPress={() => setNew(true)}>
      {t.newChannel}
    </Button>
  ) : null
  return (
    <Frame title={t.title} actions={make}>
      <Problem error={error} again={again} />
      {value === undefined ? (
        <Loading error={error} />
      ) : rows.length === 0 ? (
        <Empty title={t.emptyTitle}>
          <p>{t.empty}</p>
          <Command lead={t.emptyMake} text={t.curl(gatewayBase, tenant, JSON.stringify({ files: example }))} />
        </Empty>
      ) : (
        <Table
          label={t.title}
          columns={columns}
          rows={rows}
          keyOf={({ name }) => name}
          to={({ name }) => addressOf(["channels", name])}
        />
      )}
      {isNew ? <NewChannel names={rows.map(({ name }) => name)} close={() => setNew(false)} /> : null}
    </Frame>
  )
}
