import { close, useToasts } from "../app/toasts.ts"
import { Button } from "../parts/Button.tsx"
import { common, shell } from "../texts/en.ts"
import css from "./shell.module.css"

export const Toasts = () => {
  const shown = useToasts()
  return (
    <section className={css.toasts} aria-live="polite" aria-label={shell.notices}>
      {shown.map(({ id, text }) => (
        <div key={id} className={css.toast}>
          <span>{text}</span>
          <Button className={css.plain} aria-label={common.close} onPress={() => close(id)}>
            ×
          </Button>
        </div>
      ))}
    </section>
  )
}
