/** Text that PostgreSQL accepts: without NUL and without unpaired surrogates. */
export const storable = (text: string): string => text.replaceAll("\u0000", "\uFFFD").toWellFormed()
