import { keyOf } from "../../app/stored.ts"
import type { Files } from "./Channels.ts"

/** Edited files, and the version that they are based on; undefined for a channel that does not exist yet. */
export interface Draft {
  readonly files: Files
  readonly base: string | undefined
}

// Per tab: other tabs have their own drafts. It survives a reload and a crash of the page.
const keyFor = (tenant: string, channel: string) => keyOf(`channel:${tenant}/${channel}`)

const isFiles = (value: unknown): value is Files =>
  typeof value === "object" && value !== null && Object.values(value).every((text) => typeof text === "string")

export const draftOf = (tenant: string, channel: string): Draft | undefined => {
  try {
    const found = JSON.parse(sessionStorage.getItem(keyFor(tenant, channel)) ?? "null") as Partial<Draft> | null
    if (!isFiles(found?.files)) return undefined
    return { files: found.files, base: typeof found.base === "string" ? found.base : undefined }
  } catch {
    return undefined
  }
}

/** Stores a draft; undefined removes it. Returns whether the browser has stored it. */
export const keepDraft = (tenant: string, channel: string, draft: Draft | undefined): boolean => {
  try {
    if (draft === undefined) sessionStorage.removeItem(keyFor(tenant, channel))
    else sessionStorage.setItem(keyFor(tenant, channel), JSON.stringify(draft))
    return true
  } catch {
    return false
  }
}

export const areSame = (one: Files, other: Files): boolean => {
  const names = Object.keys(one)
  return names.length === Object.keys(other).length && names.every((name) => one[name] === other[name])
}

/** The names of files that differ, including those that exist on one side only. */
export const differing = (one: Files, other: Files): ReadonlyArray<string> =>
  [...new Set([...Object.keys(one), ...Object.keys(other)])].filter((name) => one[name] !== other[name]).sort()
