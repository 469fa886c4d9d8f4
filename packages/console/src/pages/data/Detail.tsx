import { type ReactNode, useState } from "react"
import { Link } from "../../app/Link.tsx"
import { staying } from "../../app/location.ts"
import { toast } from "../../app/toasts.ts"
import { Confirm } from "../../parts/Confirm.tsx"
import { CopyableCode } from "../../parts/CopyableCode.tsx"
import { Badge } from "../../parts/Frame.tsx"
import { Time } from "../../parts/Time.tsx"
import { visible } from "../../parts/values.ts"
import { common, data as t } from "../../texts/en.ts"
import { changed } from "./changes.ts"
import css from "./data.module.css"

/** The title of the open object, and its actions. */
export const Head = ({ title, children }: { readonly title: string; readonly children: ReactNode }) => (
  <div className={css.head}>
    <h2>{title}</h2>
    <div className={css.buttons}>{children}</div>
  </div>
)

/** Names with their values; those without a value are omitted. */
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

/** A version in the list of versions. */
interface Version {
  readonly name: string
  readonly to: string
  readonly size: number
  readonly at: string
  /** Whether it is the shown one. */
  readonly isShown: boolean
}

/** All versions, newest first. */
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

/** A value as indented JSON; nothing if it is absent. */
export const Json = ({ title, value }: { readonly title: string; readonly value: unknown }) =>
  value === undefined ? null : (
    <>
      <h3>{title}</h3>
      <CopyableCode text={JSON.stringify(value, undefined, 2)} />
    </>
  )

/** Selects the shown version or all versions. */
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

/** Asks which versions to delete: the shown one or all. */
export const DeleteDialog = ({
  name,
  version: shown,
  only,
  remove,
  done,
  close
}: {
  readonly name: string
  /** The shown version; undefined if the object has no versions. */
  readonly version?: number | undefined
  /** Whether it is the only version. */
  readonly only?: boolean
  readonly remove: (version: number | undefined) => Promise<unknown>
  /** Called with whether all versions were deleted. */
  readonly done: (all: boolean) => void
  readonly close: () => void
}) => {
  // An answer to an earlier action may show another version meanwhile.
  const [version] = useState(shown)
  const isChoice = version !== undefined && only !== true
  const [all, setAll] = useState(!isChoice)
  const act = async () => {
    const isHere = staying()
    await remove(all ? undefined : version)
    toast(t.deleted(visible(name)))
    if (isHere()) done(all)
    changed()
  }
  return (
    <Confirm title={t.deleteTitle(visible(name))} action={common.remove} act={act} close={close}>
      {isChoice ? <VersionsChoice label={t.deleteWhich} version={version} all={all} setAll={setAll} /> : null}
      <p>{t.cannotUndo}</p>
    </Confirm>
  )
}
