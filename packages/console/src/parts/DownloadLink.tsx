import { gatewayBase } from "../app/base.ts"
import { common } from "../texts/en.ts"
import css from "./pages.module.css"
import look from "./parts.module.css"

/** The address of a resource below the gateway: its path segments and its query. */
export const gatewayPath = (
  segments: ReadonlyArray<string>,
  query: Readonly<Record<string, string | undefined>> = {}
): string => {
  const given = Object.entries(query).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]))
  const search = given.length === 0 ? "" : `?${new URLSearchParams(given)}`
  return segments.map(encodeURIComponent).join("/") + search
}

/** Lets the browser download from the gateway, in any size. */
export const DownloadLink = ({ path, title = common.download }: { readonly path: string; readonly title?: string }) => (
  <a className={`${look.button} ${css.asButton}`} href={gatewayBase + path} download="">
    {title}
  </a>
)
