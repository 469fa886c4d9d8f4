import { gatewayBase } from "../../app/base.ts"
import { Button } from "../../parts/Button.tsx"
import { Code } from "../../parts/Code.tsx"
import { copyAndSay } from "../../parts/copy.ts"
import { Dialog } from "../../parts/Dialog.tsx"
import css from "../../parts/pages.module.css"
import look from "../../parts/parts.module.css"
import { flowlines } from "../../texts/en.ts"

const t = flowlines.token

/** The token of a webhook. The gateway never shows it again. */
const TokenDialog = ({
  tenant,
  name,
  token,
  close
}: {
  readonly tenant: string
  readonly name: string
  readonly token: string
  readonly close: () => void
}) => {
  const command = `curl -X POST ${gatewayBase}v1/${encodeURIComponent(tenant)}/hooks/${name} -H 'Authorization: Bearer ${token}' -H 'Content-Type: application/json' -d '{"message": "hello"}'`
  return (
    <Dialog title={t.title(name)} close={close}>
      <p>{t.once}</p>
      <Code label={t.label}>{token}</Code>
      <p>{t.use}</p>
      <Code label={t.use}>{command}</Code>
      <div className={css.actions}>
        <Button className={look.primary!} onPress={() => void copyAndSay(token)}>
          {t.copy}
        </Button>
      </div>
    </Dialog>
  )
}

export default TokenDialog
