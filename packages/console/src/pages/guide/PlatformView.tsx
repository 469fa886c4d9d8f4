import { GatewayError } from "@flow-gateway/client/light"
import { useAnswer } from "../../app/answer.ts"
import { gateway } from "../../app/gateway.ts"
import { Later } from "../../parts/Later.tsx"
import { Problem } from "../../parts/Problem.tsx"
import pages from "../../parts/pages.module.css"
import { common, guide } from "../../texts/en.ts"
import css from "./guide.module.css"

const t = guide.platform
const text = () => import("../../parts/preview/TextView.tsx")

/** The properties of the platform as the gateway answers them, with masked secrets. */
export const PlatformView = () => {
  const { value, error, again } = useAnswer((signal) => gateway.platform.properties(undefined, { signal }), [])
  return (
    <section className={css.file} aria-label={t.title}>
      <h2>{t.title}</h2>
      <p className={pages.dim}>{t.text}</p>
      {error instanceof GatewayError && error.status === 500 ? <p>{t.failed}</p> : null}
      <Problem error={error} again={again} />
      {value === undefined ? (
        <p className={pages.dim}>{error === undefined ? common.loading : null}</p>
      ) : (
        <Later load={text} props={{ name: "platform.json", text: JSON.stringify(value, undefined, 2) }} />
      )}
    </section>
  )
}
