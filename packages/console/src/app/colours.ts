import { stored } from "./stored.ts"

// Without React, because the page gets its colours before React is loaded.

/** The colour scheme of the page: the system's, or the user's choice. */
export const themes = ["system", "light", "dark"] as const
export type Theme = (typeof themes)[number]

export const keptTheme = stored<Theme>("theme", "system", (value) => themes.find((theme) => theme === value))

/** Shows the page in the chosen colours, now and when they change. */
export const applyTheme = (): void => {
  const apply = () => {
    const theme = keptTheme.get()
    const { dataset } = document.documentElement
    if (theme === "system") delete dataset["theme"]
    else dataset["theme"] = theme
  }
  apply()
  keptTheme.subscribe(apply)
}
