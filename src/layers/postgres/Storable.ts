/** Text as PostgreSQL takes it: it has no NUL, and no half of a surrogate pair. */
export const storable = (text: string): string => text.replaceAll("\u0000", "\uFFFD").toWellFormed()
