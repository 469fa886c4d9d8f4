import { useState } from "react"
import { useAnswer } from "../../app/answer.ts"
import { gateway } from "../../app/gateway.ts"
import { go, useQuery } from "../../app/location.ts"
import { useMay } from "../../app/session.ts"
import { Button } from "../../parts/Button.tsx"
import { DownloadLink, gatewayPath } from "../../parts/DownloadLink.tsx"
import { Later, LaterDialog } from "../../parts/Later.tsx"
import { Problem } from "../../parts/Problem.tsx"
import pages from "../../parts/pages.module.css"
import look from "../../parts/parts.module.css"
import { Time } from "../../parts/Time.tsx"
import { visible } from "../../parts/values.ts"
import { common, data } from "../../texts/en.ts"
import { useAgainOnChange } from "./changes.ts"
import { DeleteDialog, Facts, Head, Json, Versions } from "./Detail.tsx"
import css from "./data.module.css"
import { parts } from "./parts.ts"

const t = data.resources

/** A stored resource: its content, where its bytes are, and its versions. */
export const ResourceDetail = ({
  tenant,
  name,
  to
}: {
  readonly tenant: string
  readonly name: string
  readonly to: (path: ReadonlyArray<string>, query?: Readonly<Record<string, string>>) => string
}) => {
  const [version, setVersion] = useQuery("version")
  const [opened, setOpened] = useState<"copy" | "move" | "delete">()
  const mayChange = useMay("developer")
  const answer = useAnswer(
    (signal) => gateway.stored.metadata({ params: { tenant, name }, query: {} }, { signal }),
    [tenant, name]
  )
  const { again } = answer
  useAgainOnChange(again)
  const versions = (answer.value?.metadata ?? []).toSorted((one, other) => other.version - one.version)
  const shown = version === "" ? versions[0] : versions.find((one) => String(one.version) === version)
  const path =
    shown && gatewayPath(["v1", tenant, "resources", "content", ...name.split("/")], { version: `${shown.version}` })
  const file = name.slice(name.lastIndexOf("/") + 1)
  const close = () => setOpened(undefined)
  return (
    <section className={css.detail} aria-label={name}>
      <Head title={visible(name)}>
        {path === undefined ? null : <DownloadLink path={path} />}
        {mayChange && shown !== undefined ? (
          <>
            <Button className={look.button!} onPress={() => setOpened("copy")}>
              {t.copy}
            </Button>
            <Button className={look.button!} onPress={() => setOpened("move")}>
              {t.move}
            </Button>
            <Button className={look.button!} onPress={() => setOpened("delete")}>
              {common.remove}
            </Button>
          </>
        ) : null}
      </Head>
      <Problem error={answer.error} again={again} />
      {shown === undefined || path === undefined ? (
        <p className={pages.dim}>
          {answer.value !== undefined ? data.gone : answer.error === undefined ? common.loading : null}
        </p>
      ) : (
        <>
          <Facts
            facts={[
              [common.version, common.count(shown.version)],
              [common.size, common.bytes(shown.size)],
              [common.created, <Time key="at" at={shown["@timestamp"]} />],
              [data.storage, shown.storage.type === "external" ? t.external : visible(shown.storage.type)]
            ]}
          />
          <h3>{data.content}</h3>
          <Later key={path} load={parts.preview} props={{ path: path, name: file }} />
          <Json title={data.properties} value={shown.properties} />
        </>
      )}
      <h3>{data.versions}</h3>
      <Versions
        versions={versions.map((one, at) => ({
          name: common.count(one.version),
          to: to(name.split("/"), at === 0 ? {} : { version: String(one.version) }),
          size: one.size,
          at: one["@timestamp"],
          isShown: one === shown
        }))}
      />
      {(opened === "copy" || opened === "move") && shown !== undefined ? (
        <LaterDialog
          load={parts.transfer}
          props={{ tenant, name, how: opened, version: shown.version, only: versions.length === 1, to, close }}
        />
      ) : null}
      {opened === "delete" && shown !== undefined ? (
        <DeleteDialog
          name={name}
          version={shown.version}
          only={versions.length === 1}
          remove={(one) =>
            gateway.stored.remove({ params: { tenant, name }, query: one === undefined ? {} : { version: one } })
          }
          done={(all) => {
            if (all) go(to([]))
            else setVersion("")
          }}
          close={close}
        />
      ) : null}
    </section>
  )
}
