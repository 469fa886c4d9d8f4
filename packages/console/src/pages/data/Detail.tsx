import { type ReactNode, useState } from "react"
import { Link } from "../../app/Link.tsx"
import { toast } from "../../app/toasts.ts"
import { CopyableCode } from "../../parts/Code.tsx"
import { Confirm } from "../../parts/Confirm.tsx"
import { Badge } from "../../parts/Frame.tsx"
import { Time } from "../../parts/Time.tsx"
import { visible } from "../../parts/values.ts"
import { common, data as t } from "../../texts/en.ts"
import { changed } from "./changes.ts"
import css from "./data.module.css"

/** The title of what is open, and what can be done with it. */
export const Head = ({ title, children }: { readonly title: string; readonly children: ReactNode }) => (
  <div className={css.head}>
    <h2>{title}</h2>
    <div className={css.buttons}>{children}</div>
  </div>
)

/** Names and what they stand for; those without a value are left out. */
export const Facts = ({ facts }: { readonly facts: ReadonlyArray<readonly [name: string, value: ReactNode]> }) => (
  <dl className={css.facts}>
    {facts
      .filter(([, value]) => value !== undefined && value !== "")
      .map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
  </dl>
)

/** A version of something, as the list of its versions shows it. */
interface Version {
  readonly name: string
  readonly to: string
  readonly size: number
  readonly at: string
  /** Whether it is shown. */
  readonly isShown: boolean
}

/** All versions, the newest first. */
export const Versions = ({ versions }: { readonly versions: ReadonlyArray<Version> }) => (
  <ul className={css.versions}>
    {versions.map(({ name, to, size, at, isShown }, place) => (
      <li key={name}>
        <Link to={to} current={isShown}>
          {name}
        </Link>
        <span className={css.dim}>
          {common.bytes(size)} · <Time at={at} />
        </span>
        {place === 0 ? <Badge tone="plain">{t.latest}</Badge> : null}
      </li>
    ))}
  </ul>
)

/** A value as indented JSON; nothing when there is none. */
export const Json = ({ title, value }: { readonly title: string; readonly value: unknown }) =>
  value === undefined ? null : (
    <>
      <h3>{title}</h3>
      <CopyableCode text={JSON.stringify(value, undefined, 2)} />
    </>
  )

/** Chooses the version that is shown, or all. */
export const VersionsChoice = ({
  label,
  version,
  all,
  setAll
}: {
  readonly label: string
  readonly version: number
  readonly all: boolean
  readonly setAll: (all: boolean) => void
}) => (
  <fieldset className={css.choices}>
    <legend>{label}</legend>
    {[false, true].map((isAll) => (
      <label key={String(isAll)} className={css.check}>
        <input type="radio" name="which" checked={all === isAll} onChange={() => setAll(isAll)} />
        {isAll ? t.deleteAll : t.deleteThis(version)}
      </label>
    ))}
  </fieldset>
)

/** Asks which versions are deleted: the one that is shown, or all. */
export const DeleteDialog = ({
  name,
  version,
  only,
  remove,
  done,
  close
}: {
  readonly name: string
  /** The version that is shown; undefined where there are none. */
  readonly version?: number | undefined
  /** Whether it is the only one. */
  readonly only?: boolean
  readonly remove: (version: number | undefined) => Promise<unknown>
  /** Is called with whether all of it is gone. */
  readonly done: (all: boolean) => void
  readonly close: () => void
}) => {
  const isChoice = version !== undefined && only !== true
  const [all, setAll] = useState(!isChoice)
  const act = async () => {
    await remove(all ? undefined : version)
    toast(t.deleted(visible(name)))
    done(all)
    changed()
  }
  return (
    <Confirm title={t.deleteTitle(visible(name))} action={common.remove} act={act} close={close}>
      {isChoice ? <VersionsChoice label={t.deleteWhich} version={version} all={all} setAll={setAll} /> : null}
      <p>{t.cannotUndo}</p>
    </Confirm>
  )
}
