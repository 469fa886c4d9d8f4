import { stored } from "./stored.ts"

// Without React, as the page is coloured before that is there.

/** The colours of the page: those of the system, or what the reader has chosen. */
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
