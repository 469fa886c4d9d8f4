import { type KeyHelp, useKnownKeys } from "../app/keys.ts"
import { Dialog } from "../parts/Dialog.tsx"
import { shell } from "../texts/en.ts"
import css from "./shell.module.css"

const List = ({ title, keys }: { readonly title: string; readonly keys: ReadonlyArray<KeyHelp> }) => (
  <section>
    <h3>{title}</h3>
    <dl className={css.keys}>
      {keys.map(({ keys: pressed, does }) => (
        <div key={pressed + does}>
          <dt>
            {pressed.split(" ").map((key) => (
              <kbd key={key}>{key}</kbd>
            ))}
          </dt>
          <dd>{does}</dd>
        </div>
      ))}
    </dl>
  </section>
)

/** The keys of the shown page, and those of every page. */
const KeysDialog = ({ close }: { readonly close: () => void }) => {
  const here = useKnownKeys()
  return (
    <Dialog title={shell.keys.title} close={close}>
      {here.length === 0 ? null : <List title={shell.keys.here} keys={here} />}
      <List title={shell.keys.everywhere} keys={shell.keys.common} />
    </Dialog>
  )
}

export default KeysDialog
