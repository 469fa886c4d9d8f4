import { useSyncExternalStore } from "react"
import { keptTheme, type Theme } from "./colours.ts"

export const useTheme = (): readonly [Theme, (theme: Theme) => void] => [
  useSyncExternalStore(keptTheme.subscribe, keptTheme.get),
  keptTheme.set
]
