import { addressOf, go } from "../../app/location.ts"
import { Button } from "../../parts/Button.tsx"
import { Dialog } from "../../parts/Dialog.tsx"
import shared from "../../parts/pages.module.css"
import look from "../../parts/parts.module.css"
import { Time } from "../../parts/Time.tsx"
import { common, search as t } from "../../texts/en.ts"
import { forget, usePast } from "./History.ts"
import css from "./search.module.css"

const saidOf = (search: string): string => {
  const found = new URLSearchParams(search)
  return ["index", "q", "filters", "from", "to"]
    .flatMap((name) => found.get(name) ?? [])
    .join(" · ")
    .slice(0, 300)
}

/** The searches made in this browser. */
const HistoryDialog = ({ tenant, close }: { readonly tenant: string; readonly close: () => void }) => {
  const past = usePast().filter((one) => one.tenant === tenant)
  return (
    <Dialog title={t.history} close={close}>
      {past.length === 0 ? <p>{t.noHistory}</p> : null}
      <ul className={css.past}>
        {past.map(({ search, at }) => (
          <li key={search}>
            <code className={css.text}>{saidOf(search)}</code>
            <span className={shared.dim}>
              <Time at={at} />
            </span>
            <span className={shared.actions}>
              <Button
                className={look.button!}
                aria-label={t.openSearch(saidOf(search))}
                onPress={() => {
                  close()
                  go(addressOf(["search"], Object.fromEntries(new URLSearchParams(search))))
                }}
              >
                {common.open}
              </Button>
              <Button
                className={look.button!}
                aria-label={t.removeSearch(saidOf(search))}
                onPress={() => forget(tenant, search)}
              >
                {common.remove}
              </Button>
            </span>
          </li>
        ))}
      </ul>
      {past.length === 0 ? null : (
        <Button className={look.button!} onPress={() => forget(tenant)}>
          {t.removeAll}
        </Button>
      )}
    </Dialog>
  )
}

export default HistoryDialog
