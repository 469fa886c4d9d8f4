/**
 * The state of one thing that the gateway uses. `missing`: the gateway starts without it and can do less. `fault`: it
 * cannot start.
 */
export interface Finding {
  readonly name: string
  readonly state: "ok" | "missing" | "fault"
  readonly detail: string
  /** What an operator can do about it. */
  readonly cure?: string
}

export const ok = (name: string, detail: string): Finding => ({ name, state: "ok", detail })
export const missing = (name: string, detail: string, cure: string): Finding => ({
  name,
  state: "missing",
  detail,
  cure
})
export const fault = (name: string, detail: string, cure: string): Finding => ({ name, state: "fault", detail, cure })
