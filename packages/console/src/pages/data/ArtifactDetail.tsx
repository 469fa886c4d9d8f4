import { useState } from "react"
import { useAnswer } from "../../app/answer.ts"
import { gateway } from "../../app/gateway.ts"
import { go, staying, useQuery } from "../../app/location.ts"
import { useMay } from "../../app/session.ts"
import { toast } from "../../app/toasts.ts"
import { Button } from "../../parts/Button.tsx"
import { Confirm } from "../../parts/Confirm.tsx"
import { CopyableCode } from "../../parts/CopyableCode.tsx"
import { DownloadLink, gatewayPath } from "../../parts/DownloadLink.tsx"
import { Later } from "../../parts/Later.tsx"
import { Problem } from "../../parts/Problem.tsx"
import pages from "../../parts/pages.module.css"
import look from "../../parts/parts.module.css"
import { Time } from "../../parts/Time.tsx"
import { visible } from "../../parts/values.ts"
import { common, data } from "../../texts/en.ts"
import type { Artifact } from "./Artifact.ts"
import { changed, useAgainOnChange } from "./changes.ts"
import { Facts, Head, Json, Versions } from "./Detail.tsx"
import css from "./data.module.css"
import { parts } from "./parts.ts"

const t = data.artifacts

/** A link of a manifest. Anything but a web address is shown as text. */
const Elsewhere = ({ url, name }: { readonly url: string; readonly name: string }) =>
  /^https?:\/\//i.test(url) ? (
    <a href={url} target="_blank" rel="noopener noreferrer">
      {visible(name)}
    </a>
  ) : (
    <span>{visible(name === url ? url : `${name} ${url}`)}</span>
  )

const person = ({ name = "", email = "" }: { readonly name?: string; readonly email?: string }): string =>
  visible([name, email].filter((one) => one !== "").join(" "))

const list = (texts: ReadonlyArray<string> | undefined): string | undefined =>
  texts === undefined || texts.length === 0 ? undefined : texts.map(visible).join(", ")

const DeleteVersions = ({
  tenant,
  group,
  artifact,
  versions,
  shown,
  done,
  close
}: {
  readonly tenant: string
  readonly group: string
  readonly artifact: string
  readonly versions: ReadonlyArray<string>
  /** The version that is selected initially. */
  readonly shown: string
  readonly done: (deleted: ReadonlySet<string>) => void
  readonly close: () => void
}) => {
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set([shown]))
  const act = async () => {
    if (chosen.size === 0) return
    const isHere = staying()
    await gateway.resources.remove({ params: { tenant }, query: { group, artifact, versions: [...chosen] } })
    toast(data.deleted(`${group}:${artifact} ${[...chosen].join(", ")}`))
    if (isHere()) done(chosen)
    changed()
  }
  return (
    <Confirm title={data.deleteTitle(visible(`${group}:${artifact}`))} action={common.remove} act={act} close={close}>
      <fieldset className={css.choices}>
        <legend>{t.which}</legend>
        {versions.map((version) => (
          <label key={version} className={css.check}>
            <input
              type="checkbox"
              checked={chosen.has(version)}
              onChange={({ target }) => {
                const next = new Set(chosen)
                if (target.checked) next.add(version)
                else next.delete(version)
                setChosen(next)
              }}
            />
            {visible(version)}
          </label>
        ))}
      </fieldset>
      <p>{data.cannotUndo}</p>
    </Confirm>
  )
}

/** An artifact: its manifest, content and versions. */
export const ArtifactDetail = ({
  tenant,
  group,
  artifact,
  to,
  upload
}: {
  readonly tenant: string
  readonly group: string
  readonly artifact: string
  readonly to: (path: ReadonlyArray<string>, query?: Readonly<Record<string, string>>) => string
  readonly upload: ((like: Artifact) => void) | undefined
}) => {
  const [version, setVersion] = useQuery("version")
  const [isDeleting, setDeleting] = useState(false)
  const mayDelete = useMay("developer")
  const query = { group, artifact, ...(version === "" ? {} : { version }) }
  const answer = useAnswer(
    (signal) => gateway.resources.metadata({ params: { tenant }, query }, { signal }),
    [tenant, group, artifact, version]
  )
  const versions = useAnswer(
    (signal) => gateway.resources.list({ params: { tenant }, query: { all: true, group, artifact } }, { signal }),
    [tenant, group, artifact]
  )
  const { again } = answer
  const versionsAgain = versions.again
  useAgainOnChange(again)
  useAgainOnChange(versionsAgain)
  const { value } = answer
  const all = (versions.value ?? []).toReversed()
  const path = value && gatewayPath(["v1", tenant, "resources", "download"], { ...query, version: value.version })
  return (
    <section className={css.detail} aria-label={artifact}>
      <Head title={visible(value?.displayName ?? artifact)}>
        {path === undefined ? null : <DownloadLink path={path} />}
        {upload === undefined || value === undefined ? null : (
          <Button className={look.button!} onPress={() => upload(value)}>
            {data.newVersion}
          </Button>
        )}
        {mayDelete && value !== undefined ? (
          <Button className={look.button!} onPress={() => setDeleting(true)}>
            {t.remove}
          </Button>
        ) : null}
      </Head>
      <Problem error={answer.error} again={again} />
      {value === undefined || path === undefined ? (
        <p className={pages.dim}>{answer.error === undefined ? common.loading : null}</p>
      ) : (
        <>
          {value.description === undefined ? null : <p className={css.prose}>{visible(value.description)}</p>}
          <Facts
            facts={[
              [t.group, visible(value.group)],
              [t.artifact, visible(value.artifact)],
              [common.version, visible(value.version)],
              [t.type, value.type],
              [t.file, visible(value.file)],
              [common.size, common.bytes(value.size)],
              [t.uploaded, <Time key="at" at={value.createdAt} />],
              [common.sha256, <code key="sha">{value.sha256}</code>],
              [t.keywords, list(value.keywords)],
              [t.provider, value.provider && person(value.provider)],
              [t.maintainers, list(value.maintainers?.map(person))],
              [t.compatible, list(value.flowVersionCompatible)],
              [
                t.links,
                value.links?.map(({ url = "", name = url }, at) => (
                  // biome-ignore lint/suspicious/noArrayIndexKey: the links of a version do not change.
                  <span key={at} className={css.link}>
                    <Elsewhere url={url} name={name} />
                  </span>
                ))
              ]
            ]}
          />
          <h3>{data.content}</h3>
          <Later key={path} load={parts.preview} props={{ path: path, name: value.file }} />
          {value.readme === undefined ? null : (
            <>
              <h3>{t.readme}</h3>
              <CopyableCode text={value.readme} />
            </>
          )}
          {value.changelog === undefined ? null : (
            <>
              <h3>{t.changelog}</h3>
              <ul>
                {value.changelog.map((line, at) => (
                  // biome-ignore lint/suspicious/noArrayIndexKey: the lines of a version do not change.
                  <li key={at}>{visible(line)}</li>
                ))}
              </ul>
            </>
          )}
          <Json title={data.properties} value={value.properties} />
        </>
      )}
      <h3>{data.versions}</h3>
      <Problem error={versions.error} again={versionsAgain} />
      <Versions
        versions={all.map((one, at) => ({
          name: visible(one.version),
          to: to([group, artifact], at === 0 ? {} : { version: one.version }),
          size: one.size,
          at: one.createdAt,
          isShown: one.version === value?.version
        }))}
      />
      {isDeleting && value !== undefined ? (
        <DeleteVersions
          tenant={tenant}
          group={group}
          artifact={artifact}
          versions={all.map((one) => one.version)}
          shown={value.version}
          close={() => setDeleting(false)}
          done={(deleted) => {
            if (all.every((one) => deleted.has(one.version))) go(to([]))
            else if (deleted.has(version)) {
              // Until the newest version has come, there is nothing that the dialog could be about.
              setDeleting(false)
              setVersion("")
            }
          }}
        />
      ) : null}
    </section>
  )
}
