/** The audit log of MCollective. */
export const patterns: Readonly<Record<string, string>> = {
  MCOLLECTIVEAUDIT: "%{TIMESTAMP_ISO8601:timestamp}:"
}
