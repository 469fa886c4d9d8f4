import { type Session, useSession } from "../app/login.ts"
import { type Role, useMay } from "../app/session.ts"
import { shell, command as t } from "../texts/en.ts"
import { CopyableCode } from "./CopyableCode.tsx"

/** The login that curl needs, in the reader's own way; empty where nobody has to log in. */
const loginOf = (session: Session | undefined): string => {
  if (!session?.authentication) return ""
  if (session.scheme === "password") return `-u '${shell.nameOf(session.principal ?? "").replaceAll("'", "'\\''")}' `
  return session.scheme === "key" ? '-H "X-API-Key: $KEY" ' : '-H "Authorization: Bearer $TOKEN" '
}

/** A command with curl, to copy. Readers who may not run it see which role it needs. */
export const Command = ({
  needs = "developer",
  lead,
  text
}: {
  readonly needs?: Role
  /** What the command is for. */
  readonly lead?: string | undefined
  /** Its line with curl begins with `curl `. */
  readonly text: string
}) => {
  const may = useMay(needs)
  const login = loginOf(useSession())
  if (!may) return <p>{t.needs(needs)}</p>
  return (
    <>
      {lead === undefined ? null : <p>{lead}</p>}
      <CopyableCode text={text.replace(/^curl /m, (curl) => curl + login)} />
    </>
  )
}
