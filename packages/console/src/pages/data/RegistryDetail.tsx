import { GatewayError } from "@flow-gateway/client/light"
import { useState } from "react"
import { useAnswer } from "../../app/answer.ts"
import { gateway } from "../../app/gateway.ts"
import { go, useQuery } from "../../app/location.ts"
import { useMay } from "../../app/session.ts"
import { Button } from "../../parts/Button.tsx"
import { CopyableCode } from "../../parts/CopyableCode.tsx"
import { DownloadLink, gatewayPath } from "../../parts/DownloadLink.tsx"
import { Later } from "../../parts/Later.tsx"
import { Problem } from "../../parts/Problem.tsx"
import pages from "../../parts/pages.module.css"
import look from "../../parts/parts.module.css"
import { Time } from "../../parts/Time.tsx"
import { visible } from "../../parts/values.ts"
import { common, data } from "../../texts/en.ts"
import { useAgainOnChange, useChanges } from "./changes.ts"
import { DeleteDialog, Facts, Head, Versions } from "./Detail.tsx"
import css from "./data.module.css"
import { parts } from "./parts.ts"

const t = data.registry

type Details = Awaited<ReturnType<typeof gateway.registry.metadata>>

/** Number of versions that are requested at once: the gateway does not list them, but answers each by its number. */
const versionsAtOnce = 20

const orGone = (asked: Promise<Details>): Promise<Details | undefined> =>
  asked.catch((error: unknown) => {
    if (error instanceof GatewayError && error.status === 404) return undefined
    throw error
  })

/** The YAML of a node that reads the file. */
const node = (path: string): string => `- type: file_input
  settings: { registry: ${JSON.stringify(path)} }
  publish: [ { stream: lines } ]`

/** A file of the registry: its content and its versions. */
export const RegistryDetail = ({
  tenant,
  path,
  to,
  upload
}: {
  readonly tenant: string
  readonly path: string
  readonly to: (path: ReadonlyArray<string>, query?: Readonly<Record<string, string>>) => string
  readonly upload: (() => void) | undefined
}) => {
  const [version, setVersion] = useQuery("version")
  const [isDeleting, setDeleting] = useState(false)
  const [most, setMost] = useState(versionsAtOnce)
  const mayDelete = useMay("developer")
  const changes = useChanges()
  const params = { tenant, path }
  const latest = useAnswer((signal) => gateway.registry.metadata({ params, query: {} }, { signal }), [tenant, path])
  const chosen = useAnswer(
    version === ""
      ? undefined
      : (signal) => gateway.registry.metadata({ params, query: { version: Number(version) } }, { signal }),
    [tenant, path, version]
  )
  const newest = latest.value?.version
  const versions = useAnswer(
    newest === undefined
      ? undefined
      : async (signal) => {
          const numbers = Array.from({ length: Math.min(most, newest) }, (_, at) => newest - at)
          const found = await Promise.all(
            numbers.map((number) =>
              orGone(gateway.registry.metadata({ params, query: { version: number } }, { signal }))
            )
          )
          return found.filter((one) => one !== undefined)
        },
    [tenant, path, newest, most, changes]
  )
  const { again } = latest
  useAgainOnChange(again)
  const { value: shown, error } = version === "" ? latest : chosen
  const address =
    shown && gatewayPath(["v1", tenant, "registry", "download", ...path.split("/")], { version: `${shown.version}` })
  return (
    <section className={css.detail} aria-label={path}>
      <Head title={visible(path)}>
        {address === undefined ? null : <DownloadLink path={address} />}
        {upload === undefined ? null : (
          <Button className={look.button!} onPress={upload}>
            {data.newVersion}
          </Button>
        )}
        {mayDelete && shown !== undefined ? (
          <Button className={look.button!} onPress={() => setDeleting(true)}>
            {common.remove}
          </Button>
        ) : null}
      </Head>
      <Problem error={error} again={version === "" ? again : chosen.again} />
      {shown === undefined || address === undefined ? (
        <p className={pages.dim}>{error === undefined ? common.loading : null}</p>
      ) : (
        <>
          <Facts
            facts={[
              [common.version, common.count(shown.version)],
              [common.size, common.bytes(shown.size)],
              [common.created, <Time key="at" at={shown.timestamp} />],
              [common.sha256, <code key="sha">{shown.sha256}</code>]
            ]}
          />
          <h3>{data.content}</h3>
          <Later
            key={address}
            load={parts.preview}
            props={{ path: address, name: path.slice(path.lastIndexOf("/") + 1) }}
          />
          <h3>{t.use}</h3>
          <CopyableCode text={node(path)} />
        </>
      )}
      <h3>{data.versions}</h3>
      <Problem error={versions.error} again={versions.again} />
      <Versions
        versions={(versions.value ?? []).map((one) => ({
          name: common.count(one.version),
          to: to(path.split("/"), one.version === newest ? {} : { version: String(one.version) }),
          size: one.size,
          at: one.timestamp,
          isShown: one.version === shown?.version
        }))}
      />
      {newest !== undefined && most < newest ? (
        <p>
          <Button className={look.button!} onPress={() => setMost(most + versionsAtOnce)}>
            {t.earlier}
          </Button>
        </p>
      ) : null}
      {isDeleting && shown !== undefined ? (
        <DeleteDialog
          name={path}
          version={shown.version}
          only={versions.value?.length === 1 && most >= (newest ?? 0)}
          remove={(one) => gateway.registry.remove({ params, query: one === undefined ? {} : { version: one } })}
          done={(all) => {
            if (all) go(to([]))
            else setVersion("")
          }}
          close={() => setDeleting(false)}
        />
      ) : null}
    </section>
  )
}
