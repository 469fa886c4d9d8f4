import { useId } from "react"
import css from "./parts.module.css"

/** A choice of one out of a few: radio buttons side by side, which the arrow keys select too. */
export const Choice = <Key extends string>({
  label,
  options,
  chosen,
  choose,
  size = "normal"
}: {
  readonly label: string
  readonly options: ReadonlyArray<{ readonly key: Key; readonly title: string }>
  readonly chosen: Key
  readonly choose: (key: Key) => void
  readonly size?: "normal" | "small"
}) => {
  const name = useId()
  return (
    <div role="radiogroup" aria-label={label} className={`${css.choice} ${size === "small" ? css.small : ""}`}>
      {options.map(({ key, title }) => (
        <label key={key} className={css.option}>
          <input type="radio" name={name} checked={key === chosen} onChange={() => choose(key)} />
          <span>{title}</span>
        </label>
      ))}
    </div>
  )
}
