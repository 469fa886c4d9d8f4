/** The milliseconds of the units of durations. Each notation decides itself which of them it accepts. */
export const unitMillis: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }
