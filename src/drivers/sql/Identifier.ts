/** A name as an identifier of SQL, whatever it contains. */
export const identifier = (name: string): string => `"${name.replaceAll('"', '""')}"`
