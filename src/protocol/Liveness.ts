/**
 * Heartbeats, timeouts and polling intervals of gateways, runs and the database, all in milliseconds. They are in one
 * file because they depend on each other:
 *
 * - a run of a frozen gateway is gone before another gateway takes over:
 *   3 × `heartbeat` < `ownSilence` < `lease` < `runGone` < `takeover`
 * - a gateway survives one statement without a response: `storageDeadline` + `heartbeat` < `takeover`
 * - a gateway keeps its shards when the database does not respond: `shardAnswer` < `shardRefresh` < `takeover`
 * - after an outage every gateway can send a heartbeat before it counts as gone:
 *   2 × `heartbeat` < `outageGap`, and `outageGap` + 3 × `heartbeat` < `takeover`
 * - a job is announced again only after the cluster has had the time to move it:
 *   3 × `jobHeartbeat` < `takeover` < `jobSilence`, and `takeover` + `jobScan` < `jobUnattended`
 * - the response to a stop follows the end of the run and its last write:
 *   `stopGrace` + `lastWrite` < `entityStop` = `stopAnswer` < `serverStop`
 * - a gateway stops one part after the other, and nobody kills it meanwhile:
 *   `serverStop` + `entityStop` + all of `databaseStop` < `serviceStop`
 *
 * `test/liveness.test.ts` asserts these orders. Two of the times are in `docs/cluster.md`, one is in `docs/operations.md`.
 */

// Runs and their gateway.

/** Interval of the heartbeats that a gateway sends to its runs and writes to the table `gateways`. */
export const heartbeat = 1000

/** How long a heartbeat in the database may take before it is tried again on a new connection. */
export const beatDeadline = 2000

/** How long the event loop of a gateway may stand still: then the gateway gives no more signs of life. */
export const standstill = 15_000

/** How often a run looks for a sign of life of its gateway. */
export const signPoll = 250

/**
 * A run ends itself this long after the last heartbeat of its gateway, if the gateway sends any: the run of a frozen
 * gateway must be gone before another gateway takes over.
 */
export const lease = 4500

/** A gateway that was silent for this long may have lost runs: its last heartbeat may have been one interval old. */
export const ownSilence = lease - heartbeat - 100

/** How long after its silence a gateway attributes the end of a run to that silence. */
export const ownSilenceSeen = 10_000

/** No run outlives its gateway for this long. Later its process id may belong to another process. */
export const runGone = lease + 1000

// Gateways and the others of their cluster.

/** After this long without a heartbeat a gateway is gone, and others take over its work. */
export const takeover = 7000

/** How often a gateway looks whether the others on its host still run. */
export const departurePoll = 50

/** If no gateway sends a heartbeat for this long, the database had an outage. */
export const outageGap = 3 * heartbeat

/** How often a gateway checks that it still owns its shards, and how long it waits for the response. */
export const shardRefresh = 2000
export const shardAnswer = 1500
export const shardExpiration = takeover

/** How often a gateway polls for messages, shards and members: in a cluster, and alone on its database. */
export const clusterPoll = 1000
export const clusterPollAlone = 10_000

/** How often the follower of an output polls for lines that another gateway has written. */
export const followerPoll = 1000

/** Time limit for announcing an execution or a job to the cluster. */
export const tellDeadline = 5000

// Executions.

/** Interval of the scan for executions of gateways that are gone and for executions to cancel. */
export const executionScan = 1000

/** Executions that are unclaimed this long after their start are announced again; the interval of that scan. */
export const executionUnclaimed = 5000
export const unclaimedScan = 10_000

/**
 * The pause before a gateway that counted as gone claims an execution again. Meanwhile the gateway that has lost the
 * execution is notified.
 */
export const reclaimPause = 3000

// Jobs of channels.

/** Interval of the heartbeats of a job. */
export const jobHeartbeat = 2000

/** After this long without a heartbeat a job is shown as not running. */
export const jobSilence = 10_000

/** After this long without a heartbeat a job is announced again; the interval of that scan. */
export const jobUnattended = 20_000
export const jobScan = 10_000

/** How often who waits for a time of a schedule looks at the database's clock. */
export const clockLook = 5000

// Schedules of flowlines.

/** How often one gateway looks which schedules are due, and which firings may start. */
export const scheduleTick = 1000

/** How often it looks for new files. */
export const fileLook = 2000

// The database's outages.

/** How long a request waits for a storage, including the wait for a connection. */
export const storageDeadline = 5000

/** A connection for short statements is closed after this silence, even if the server responds on others. */
export const connectionSilence = 7000

/**
 * How long the server waits for the next statement of a transaction. Its client is frozen or gone by then, perhaps with its
 * machine, which the server would not notice for hours, and others wait for its locks.
 */
export const idleTransaction = 30_000

/** Pauses between retries of a write during an outage: they double from the first to the longest. */
export const outageRetry = { first: 100, longest: 2000 }

// The end.

/** Time between SIGTERM and SIGKILL to the processes of a run. */
export const stopGrace = 2000

/** Time limit of the last write of an interrupted attempt, and the pause between its retries. */
export const lastWrite = 3000
export const lastWriteRetry = 250

/** Time limit for the end of an execution or job when its gateway stops or its shard moves. */
export const entityStop = 10_000

/** How long the response to a stop of jobs waits for the end of their runs, and how often it polls. */
export const stopAnswer = 10_000
export const stopPoll = 100

/** How long open requests may take when the gateway stops. */
export const serverStop = 20_000

/** How long the embedded PostgreSQL has for a fast stop, for an immediate one, and after it was killed. */
export const databaseStop = { fast: 8000, immediate: 6500, killed: 3000 }

/** How long service managers have to wait for a gateway's end before they kill it: `docs/operations.md`. */
export const serviceStop = 60_000
