import { useState } from "react"
import { common, preview as t } from "../../texts/en.ts"
import { Button } from "../Button.tsx"
import pages from "../pages.module.css"
import look from "../parts.module.css"
import type { PreviewedFile } from "./file.ts"
import { kindOf } from "./kinds.ts"
import css from "./preview.module.css"
import { RowsTable } from "./RowsTable.tsx"
import { TextContent } from "./TextContent.tsx"

/** Largest picture that is shown, in bytes. */
const largestPicture = 8 * 1024 * 1024
/** Largest Parquet file in an archive that is shown, in bytes: reading a part needs everything before it. */
const mostUnpacked = 64 * 1024 * 1024

/**
 * A preview of a file: rows, highlighted text, or a picture. Nothing in the file is executed, and only what is shown is
 * loaded.
 */
export const Preview = ({
  file,
  picture
}: {
  readonly file: PreviewedFile
  /** The address of a picture; undefined if it has none. */
  readonly picture?: string
}) => {
  const { kind } = kindOf(file.name)
  const hasRows = kind === "csv" || kind === "tsv" || kind === "ndjson" || kind === "log"
  const [asRows, setAsRows] = useState(hasRows)
  if (file.size === 0) return <p className={pages.dim}>{t.empty}</p>
  if (kind === "picture" && picture !== undefined && file.size <= largestPicture) {
    return (
      <p className={css.picture}>
        <img src={picture} alt={file.name} />
      </p>
    )
  }
  if (kind === "binary") return <p className={pages.dim}>{t.binary}</p>
  if (kind === "parquet") {
    if (file.source !== undefined || file.size <= mostUnpacked) return <RowsTable file={file} />
    return <p className={css.cannot}>{t.largeParquet(common.bytes(file.size), common.bytes(mostUnpacked))}</p>
  }
  const other = (
    <Button className={look.button!} onPress={() => setAsRows(!asRows)}>
      {asRows ? t.asText : t.asRows}
    </Button>
  )
  return (
    <div className={css.preview}>
      {asRows ? (
        <>
          <RowsTable file={file} />
          <div className={css.below}>{other}</div>
        </>
      ) : (
        // Every text has rows. They show a long text to its end, and one that is not UTF-8.
        <TextContent file={file}>{(isAll) => (hasRows || !isAll ? other : null)}</TextContent>
      )}
    </div>
  )
}
