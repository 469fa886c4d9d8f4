import css from "./pages.module.css"

/** A field that filters a list by the names of its entries. */
export const SearchField = ({
  label,
  value,
  onChange
}: {
  readonly label: string
  readonly value: string
  readonly onChange: (value: string) => void
}) => (
  <input
    type="search"
    className={`${css.input} ${css.search}`}
    aria-label={label}
    placeholder={label}
    value={value}
    onChange={({ target }) => onChange(target.value)}
    spellCheck={false}
    autoComplete="off"
  />
)
