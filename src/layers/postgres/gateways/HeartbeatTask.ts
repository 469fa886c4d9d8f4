/** What the thread of the heartbeats gets. */
export interface HeartbeatTask {
  readonly url: string
  /** The gateway's row in the table `gateways`. */
  readonly row: { readonly id: string; readonly host: string; readonly pid: number; readonly address: string }
  /** The open file from which runs read the last sign of life. */
  readonly signs: number
  /** The {@link stamp}s: times of the system's monotonic clock, in nanoseconds. */
  readonly shared: SharedArrayBuffer
}

/** Places of the shared times. */
export const stamp = {
  /** The last turn of the main thread's event loop. */
  main: 0,
  /** The last heartbeat that the database has confirmed. */
  confirmed: 1
}

/** Milliseconds as nanoseconds. */
export const nanosOf = (millis: number): bigint => BigInt(millis) * 1_000_000n

/** A sign of life for the runs: the time of the system's monotonic clock. */
export const signOf = (nanos: bigint): BigInt64Array => BigInt64Array.of(nanos)
