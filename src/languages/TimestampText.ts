/** A time in files and requests: a date, or a date and time with a zone (ISO 8601). A date alone is its midnight in UTC. */
export const timestampPattern = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d))?$/

export const isTimestamp = (text: string): boolean => timestampPattern.test(text) && !Number.isNaN(Date.parse(text))

export const expectedTimestamp = "a time such as 2026-01-31 or 2026-01-31T12:00:00Z"

/** Whether the text is a date and time with a zone (ISO 8601): a date alone does not name a moment. */
export const isInstant = (text: string): boolean => text.includes("T") && isTimestamp(text)
