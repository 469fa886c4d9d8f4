import { useState } from "react"
import { useAnswer } from "../../app/answer.ts"
import { answering, gateway } from "../../app/gateway.ts"
import { Button } from "../../parts/Button.tsx"
import { Confirm } from "../../parts/Confirm.tsx"
import { timeColumn } from "../../parts/columns.tsx"
import { Badge } from "../../parts/Frame.tsx"
import parts from "../../parts/parts.module.css"
import type { Column } from "../../parts/Table.tsx"
import { Time } from "../../parts/Time.tsx"
import { useToldOnce } from "../../parts/useToldOnce.ts"
import { visible } from "../../parts/values.ts"
import { admin, common } from "../../texts/en.ts"
import css from "./admin.module.css"
import { type MadeKey, NewKey, ShownKey } from "./NewKey.tsx"
import { TenantList } from "./TenantList.tsx"

const t = admin.keys

interface Key {
  readonly id: string
  readonly name: string
  readonly role: string
  readonly owner: string
  readonly createdAt: string
  readonly expiresAt: string | null
  readonly lastUsedAt: string | null
  readonly revokedAt: string | null
}

type State = keyof typeof t.states

/** A key that expires within this many milliseconds is marked as expiring soon. */
const soon = 14 * 86_400_000

const stateOf = ({ revokedAt, expiresAt }: Key): State => {
  if (revokedAt !== null) return "revoked"
  const left = expiresAt === null ? Number.POSITIVE_INFINITY : Date.parse(expiresAt) - Date.now()
  return left <= 0 ? "expired" : left < soon ? "soon" : "valid"
}

const tones = { valid: "good", soon: "warn", expired: "plain", revoked: "plain" } as const

const columnsOf = (revoke: (key: Key) => void): ReadonlyArray<Column<Key>> => [
  {
    id: "name",
    title: common.name,
    value: ({ name }) => name,
    cell: ({ name }) => visible(name),
    width: "minmax(140px, 2fr)"
  },
  {
    id: "state",
    title: common.state,
    value: stateOf,
    cell: (key) => <Badge tone={tones[stateOf(key)]}>{t.states[stateOf(key)]}</Badge>,
    width: "90px"
  },
  { id: "role", title: t.role, value: ({ role }) => role, cell: ({ role }) => role, width: "90px" },
  { id: "id", title: t.id, value: ({ id }) => id, cell: ({ id }) => <code>{id}</code>, width: "90px" },
  { id: "owner", title: t.owner, value: ({ owner }) => owner, cell: ({ owner }) => owner },
  {
    id: "used",
    title: t.used,
    value: ({ lastUsedAt }) => lastUsedAt ?? "",
    cell: ({ lastUsedAt }) =>
      lastUsedAt === null ? <span className={css.dim}>{t.unused}</span> : <Time at={lastUsedAt} />,
    width: "minmax(200px, 1fr)"
  },
  {
    id: "expires",
    title: t.expires,
    value: ({ expiresAt }) => expiresAt ?? "9999",
    cell: ({ expiresAt }) =>
      expiresAt === null ? <span className={css.dim}>{t.never}</span> : <Time at={expiresAt} />,
    width: "minmax(200px, 1fr)"
  },
  timeColumn({ id: "created", title: common.created, width: "minmax(200px, 1fr)" }, ({ createdAt }) => createdAt),
  {
    id: "revoke",
    title: common.actions,
    cell: (key) =>
      ["valid", "soon"].includes(stateOf(key)) ? (
        <Button className={parts.button} aria-label={`${t.revoke} ${key.name}`} onPress={() => revoke(key)}>
          {t.revoke}
        </Button>
      ) : null,
    width: "90px"
  }
]

/** The API keys of the tenant, for programs. */
export const Keys = ({ tenant }: { readonly tenant: string }) => {
  const answer = useAnswer((signal) => gateway.keys.list({ params: { tenant }, query: {} }, { signal }), [tenant])
  const { again } = answer
  const [isMaking, setMaking] = useState(false)
  const made = useToldOnce<MadeKey>(t.unseen)
  const [revoked, setRevoked] = useState<Key>()
  const [columns] = useState(() => columnsOf(setRevoked))
  const make = (
    <Button className={parts.primary} onPress={() => setMaking(true)}>
      {t.make}
    </Button>
  )
  return (
    <>
      <TenantList
        answer={answer}
        label={admin.views.keys}
        columns={columns}
        keyOf={({ id }) => id}
        sort={{ id: "created", desc: true }}
        empty={t.empty}
        make={make}
      >
        <p>{t.emptyText}</p>
      </TenantList>
      {isMaking ? (
        <NewKey
          tenant={tenant}
          made={(key) => {
            made.show(key)
            again()
          }}
          close={() => setMaking(false)}
        />
      ) : null}
      {made.shown === undefined ? null : (
        <ShownKey key={made.shown.key} tenant={tenant} made={made.shown} close={made.close} />
      )}
      {revoked === undefined ? null : (
        <Confirm
          title={t.revokeTitle(revoked.name)}
          action={t.revoke}
          act={async () => {
            await answering(() => gateway.keys.revoke({ params: { tenant, id: revoked.id } }))
            again()
          }}
          close={() => setRevoked(undefined)}
        >
          <p>{t.revokeText}</p>
        </Confirm>
      )}
    </>
  )
}
