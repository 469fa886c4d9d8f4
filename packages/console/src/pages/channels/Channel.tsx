import { useState } from "react"
import { useAnswer } from "../../app/answer.ts"
import { answering, gateway } from "../../app/gateway.ts"
import { addressOf, go, staying, useQuery } from "../../app/location.ts"
import { useMay } from "../../app/session.ts"
import { toast } from "../../app/toasts.ts"
import { Button } from "../../parts/Button.tsx"
import { Confirm } from "../../parts/Confirm.tsx"
import { Badge, Frame } from "../../parts/Frame.tsx"
import { Later } from "../../parts/Later.tsx"
import { Problem } from "../../parts/Problem.tsx"
import shared from "../../parts/pages.module.css"
import look from "../../parts/parts.module.css"
import { common, channels as t } from "../../texts/en.ts"
import { type Action, Actions } from "./Actions.tsx"
import { toneOf } from "./Channels.ts"
import css from "./channels.module.css"
import { Jobs } from "./Jobs.tsx"
import { keep } from "./Samples.ts"

const every = 2000
const loadFiles = () => import("./FilesEditor.tsx")

const isMissing = (error: unknown): boolean => (error as { readonly status?: number } | undefined)?.status === 404

/** A channel: the desired and actual state of its jobs, and its files. */
export const Channel = ({ tenant, name }: { readonly tenant: string; readonly name: string }) => {
  const [view] = useQuery("view")
  const [isRemoving, setRemoving] = useState(false)
  const mayChange = useMay("developer")
  const { value, error, again } = useAnswer(
    tenant === ""
      ? undefined
      : async (signal) => {
          const detail = await gateway.channels.status({ params: { tenant, channel: name } }, { signal })
          keep(tenant, name, detail, Date.now())
          return detail
        },
    [tenant, name],
    every
  )
  const isNew = value === undefined && isMissing(error)
  const isFiles = view === "files"
  const act = (action: Action) => gateway.channels.act({ params: { tenant, channel: name, action } })
  const remove = mayChange ? (
    <Button className={look.button!} onPress={() => setRemoving(true)}>
      {common.remove}
    </Button>
  ) : null
  const here = ["channels", name]
  return (
    <Frame
      title={name}
      above={{ title: t.title, to: addressOf(["channels"]) }}
      actions={value === undefined ? null : <Actions of={name} act={act} again={again} more={remove} />}
      views={[
        { title: t.jobs, to: addressOf(here), current: !isFiles },
        { title: t.files, to: addressOf(here, { view: "files" }), current: isFiles }
      ]}
    >
      {value === undefined ? (
        isNew && isFiles ? (
          <p className={shared.dim}>{t.notYet}</p>
        ) : isNew ? (
          <p>{t.missing(name)}</p>
        ) : error === undefined ? (
          <p className={shared.dim}>{common.loading}</p>
        ) : (
          <Problem error={error} again={again} />
        )
      ) : (
        <>
          {isMissing(error) ? <p role="alert">{t.removed}</p> : <Problem error={error} again={again} />}
          <p className={css.state}>
            <Badge tone={toneOf(value.status)}>{t.states[value.status]}</Badge>{" "}
            <span className={css.reason}>{value.reason ?? t.channelWhy[value.status]}</span>
          </p>
        </>
      )}
      {isFiles && tenant !== "" ? (
        <Later
          load={loadFiles}
          props={{ tenant, channel: name, saved: again }}
          failed={() => toast(common.notLoaded)}
        />
      ) : null}
      {!isFiles && value !== undefined ? <Jobs tenant={tenant} channel={name} detail={value} again={again} /> : null}
      {isRemoving ? (
        <Confirm
          title={t.removeTitle(name)}
          action={common.remove}
          act={async () => {
            const isHere = staying()
            await answering(() => gateway.channels.remove({ params: { tenant, channel: name } }))
            toast(t.isRemoved(name))
            if (isHere()) go(addressOf(["channels"]))
          }}
          close={() => setRemoving(false)}
        >
          <p>{t.removeHelp}</p>
        </Confirm>
      ) : null}
    </Frame>
  )
}
