import { useEffect, useMemo, useState } from "react"
import { Button } from "../../parts/Button.tsx"
import { Dialog } from "../../parts/Dialog.tsx"
import parts from "../../parts/parts.module.css"
import { visible } from "../../parts/values.ts"
import { shell, tester } from "../../texts/en.ts"
import { type Bank, bankOf, type Expansion, expansion, search, withDefinitions } from "./Bank.ts"
import type { Draft } from "./Draft.ts"
import { faultsOf } from "./Testing.ts"
import css from "./tester.module.css"

const t = tester.bankDialog
/** Number of patterns that are listed at a time. */
const most = 500

const Tree = ({ parts: children }: { readonly parts: ReadonlyArray<Expansion> }) =>
  children.length === 0 ? null : (
    <ul className={css.tree}>
      {children.map(({ name, regex, parts: below }) => (
        <li key={name}>
          <b>{name}</b> <code className={css.wrapped}>{regex}</code>
          <Tree parts={below} />
        </li>
      ))}
    </ul>
  )

/** The patterns of the bank: search, examples, and the expansion of each. */
const BankDialog = ({
  draft: { ecs, definitions },
  tenant,
  insert,
  begin,
  close
}: {
  readonly draft: Draft
  readonly tenant: string
  readonly insert: (text: string, selected?: string) => void
  /** The pattern that is shown initially. */
  readonly begin: string | undefined
  readonly close: () => void
}) => {
  const [bank, setBank] = useState<Bank>()
  const [failure, setFailure] = useState<string>()
  const [query, setQuery] = useState("")
  const [chosen, setChosen] = useState(begin)
  useEffect(() => {
    bankOf(tenant, ecs).then(
      (found) => setBank(withDefinitions(found, definitions)),
      (error) => setFailure(faultsOf(error)[0]?.detail)
    )
  }, [tenant, ecs, definitions])
  const found = useMemo(() => (bank === undefined ? [] : search(bank, query)), [bank, query])
  const shown = chosen === undefined || bank === undefined ? undefined : bank.byName.get(chosen)
  const expanded = shown === undefined || bank === undefined ? undefined : expansion(bank, shown.name)
  return (
    <Dialog title={t.title} close={close}>
      {failure === undefined ? null : <p role="alert">{failure}</p>}
      <label className={css.searchField}>
        {t.search}
        <input type="search" value={query} onChange={({ target }) => setQuery(target.value)} spellCheck={false} />
      </label>
      <p className={css.help} role="status">
        {bank === undefined ? shell.loading : t.found(found.length)}
      </p>
      <div className={css.bank}>
        <ul className={css.bankList}>
          {found.slice(0, most).map(({ name, example }) => (
            <li key={name}>
              <Button
                className={`${css.bankItem} ${name === chosen ? css.bankChosen : ""}`}
                aria-pressed={name === chosen}
                onPress={() => setChosen(name)}
              >
                <b>{name}</b>
                {example === undefined ? null : <span className={css.help}>{visible(example)}</span>}
              </Button>
            </li>
          ))}
        </ul>
        {shown === undefined ? null : (
          <section className={css.bankDetail} aria-label={shown.name} aria-live="polite">
            <div className={css.panelHead}>
              <h3>{shown.name}</h3>
              <span className={css.help}>
                {t.from}: {shown.source ?? t.builtIn}
              </span>
              <span className={css.gap} />
              <Button
                className={parts.primary}
                onPress={() => {
                  close()
                  // The closing dialog restores the focus first.
                  setTimeout(() => insert(`%{${shown.name}:field}`, "field"))
                }}
              >
                {t.insert}
              </Button>
            </div>
            {shown.example === undefined ? null : (
              <p>
                {t.example}: <code className={css.wrapped}>{visible(shown.example)}</code>
              </p>
            )}
            <p>
              {t.expression}: <code className={css.wrapped}>{shown.regex}</code>
            </p>
            {expanded === undefined || expanded.parts.length === 0 ? null : (
              <>
                <p>{t.expands}:</p>
                <Tree parts={expanded.parts} />
              </>
            )}
          </section>
        )}
      </div>
      {bank === undefined || bank.leftOut.length === 0 ? null : (
        <p className={css.help}>
          {t.leftOut} {bank.leftOut.join("; ")}
        </p>
      )}
    </Dialog>
  )
}

export default BankDialog
