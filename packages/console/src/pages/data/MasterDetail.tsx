import type { ReactNode } from "react"
import { Link } from "../../app/Link.tsx"
import type { Listing } from "../../app/listing.ts"
import type { Role } from "../../app/session.ts"
import { Button } from "../../parts/Button.tsx"
import { Command } from "../../parts/Command.tsx"
import { Empty } from "../../parts/Frame.tsx"
import { Problem } from "../../parts/Problem.tsx"
import look from "../../parts/parts.module.css"
import { SearchField } from "../../parts/SearchField.tsx"
import { common, data as t } from "../../texts/en.ts"
import css from "./data.module.css"
import type { Address } from "./useAddress.ts"

/** How much of a list is shown, and why not more. */
const Count = ({
  listing: { rows, isLoading, error, again, more },
  shown
}: {
  readonly listing: Listing<unknown>
  readonly shown: number
}) => (
  <>
    {error === undefined ? null : <Problem error={error} again={again} />}
    <p className={css.count} role="status">
      {rows === undefined
        ? isLoading
          ? common.loading
          : ""
        : isLoading && more === undefined && rows.length >= 5000
          ? t.reading(rows.length)
          : t.found(shown, rows.length)}
      {rows !== undefined && shown === 0 && rows.length > 0 ? ` ${t.nothingFound}` : ""}
    </p>
    {more === undefined || rows === undefined ? null : (
      <p className={css.bar}>
        {t.longer(rows.length)}
        <Button className={look.button!} onPress={more}>
          {common.more}
        </Button>
      </p>
    )}
  </>
)

/**
 * A list with search, filters and actions, beside the detail of its open entry. A narrow window shows one of the two.
 */
export const MasterDetail = ({
  address: { query, setQuery },
  listing,
  shown,
  filters,
  actions,
  empty,
  list,
  open,
  back
}: {
  readonly address: Pick<Address, "query" | "setQuery">
  readonly listing: Listing<unknown>
  /** Entries that match the search. */
  readonly shown: number
  readonly filters?: ReactNode
  readonly actions?: ReactNode
  /** Replaces an empty list; undefined while the list is shown. */
  readonly empty: ReactNode | undefined
  readonly list: ReactNode
  /** Undefined if nothing is open. */
  readonly open: ReactNode | undefined
  /** The address of the list without an open entry. */
  readonly back: string
}) => (
  <div className={open === undefined ? css.alone : css.split}>
    <div className={css.list}>
      <div className={css.bar}>
        <SearchField label={t.search} value={query} onChange={setQuery} />
        {filters}
        <span className={css.gap} />
        <Button className={look.button!} onPress={listing.again}>
          {t.refresh}
        </Button>
        {actions}
      </div>
      {empty ?? (
        <>
          <Count listing={listing} shown={shown} />
          {list}
        </>
      )}
    </div>
    {open === undefined ? null : (
      <div className={css.open}>
        <p className={css.back}>
          <Link to={back}>
            <span aria-hidden="true">← </span>
            {t.back}
          </Link>
        </p>
        {open}
      </div>
    )}
  </div>
)

/** An empty list: its purpose, and a first step for readers who may take it. */
export const EmptyList = ({
  title,
  text,
  how,
  command,
  needs = "developer"
}: {
  readonly title: string
  readonly text: string
  readonly how?: string
  readonly command: string
  /** The role for the command. */
  readonly needs?: Role
}) => (
  <Empty title={title}>
    <p>{text}</p>
    <Command lead={how} text={command} needs={needs} />
  </Empty>
)
