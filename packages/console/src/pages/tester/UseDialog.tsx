import { addressOf, go } from "../../app/location.ts"
import { toast } from "../../app/toasts.ts"
import { Button } from "../../parts/Button.tsx"
import { copy } from "../../parts/copy.ts"
import { Dialog } from "../../parts/Dialog.tsx"
import { download } from "../../parts/download.ts"
import parts from "../../parts/parts.module.css"
import { tester } from "../../texts/en.ts"
import type { Draft } from "./Draft.ts"
import css from "./tester.module.css"
import { nodeYaml } from "./Yaml.ts"

const t = tester.useDialog

/** Number of sample lines in the test of the new flowline. */
const mostLines = 20
/** Maximum length of an address. */
const longest = 16_384

/** The address of a new flowline with the node and the first lines; undefined if it would be too long. */
const flowlineOf = (draft: Draft, node: string): string | undefined => {
  const lines = draft.samples.split(/\r?\n/).slice(0, mostLines)
  const given = JSON.stringify({ node, type: draft.operator, lines })
  const address = `${addressOf(["flowlines", "new"])}#${new URLSearchParams({ node: given })}`
  return address.length > longest ? undefined : address
}

/** The node that does in a flowline what the test does here. */
const UseDialog = ({ draft, close }: { readonly draft: Draft; readonly close: () => void }) => {
  const yaml = nodeYaml(draft)
  const address = flowlineOf(draft, yaml)
  return (
    <Dialog title={t.title} close={close}>
      <p className={css.help}>{t.help}</p>
      {/** biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling area must be reachable by keyboard. */}
      <pre className={css.yaml} tabIndex={0}>
        {yaml}
      </pre>
      <div className={css.buttons}>
        <Button
          className={parts.primary}
          onPress={async () => {
            if (await copy(yaml)) toast(t.copied)
          }}
        >
          {t.copy}
        </Button>
        {address === undefined ? null : (
          <Button className={parts.button} onPress={() => go(address)}>
            {t.create}
          </Button>
        )}
        <Button className={parts.button} onPress={() => download(`${draft.operator}.yaml`, yaml, "application/yaml")}>
          {t.save}
        </Button>
      </div>
    </Dialog>
  )
}

export default UseDialog
