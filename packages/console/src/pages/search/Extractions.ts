import { keyOf } from "../../app/stored.ts"

/** An extraction that was started in this tab. */
export interface Started {
  readonly tenant: string
  readonly flowline: string
  readonly execution: string
  readonly archive: string
  readonly title: string
}

const most = 10
const key = keyOf("extractions")

const isStarted = (value: unknown): value is Started => {
  const { tenant, flowline, execution, archive, title } = Object(value) as Partial<Started>
  return [tenant, flowline, execution, archive, title].every((one) => typeof one === "string")
}

/** The extractions of this tab, newest first. They survive a reload. */
export const startedOf = (tenant: string): ReadonlyArray<Started> => {
  try {
    const found: unknown = JSON.parse(sessionStorage.getItem(key) ?? "[]")
    return Array.isArray(found) ? found.filter(isStarted).filter((one) => one.tenant === tenant) : []
  } catch {
    return []
  }
}

export const keepStarted = (all: ReadonlyArray<Started>): void => {
  try {
    sessionStorage.setItem(key, JSON.stringify(all.slice(0, most)))
  } catch {
    // If the browser's storage is full, they last only until the page is closed.
  }
}
