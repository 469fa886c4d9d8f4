/**
 * The times that a gateway, its runs, its database and the other gateways allow one another, all in milliseconds. They
 * depend on each other, so they stand here together:
 *
 * - a run of a frozen gateway is gone before another gateway takes over:
 *   3 × `heartbeat` < `ownSilence` < `lease` < `runGone` < `takeover`
 * - one statement without an answer costs no gateway its place: `storageDeadline` + `heartbeat` < `takeover`
 * - a shard changes hands when its gateway counts as gone: 3 × `shardRefresh` < `shardExpiration` = `takeover`
 * - a job is told again only when the cluster has had its time to move it:
 *   3 × `jobHeartbeat` < `takeover` < `jobSilence`, and `takeover` + `jobScan` < `jobUnattended`
 * - a stop has its answer when the run is gone and the last write is made:
 *   `stopGrace` + `lastWrite` < `entityStop` = `stopAnswer` < `serverStop`
 *
 * `test/liveness.test.ts` asserts these orders. Two of the times are in `docs/cluster.md`.
 */

// Runs and their gateway.

/** Between two signs of life: of a gateway to its runs, and in the table of gateways. */
export const heartbeat = 1000

/** How long a heartbeat in the database may take before it is tried again on a new connection. */
export const beatDeadline = 2000

/** How long the event loop of a gateway may stand still: then the gateway gives no more signs of life. */
export const standstill = 15_000

/** How often a run looks for a sign of life of its gateway. */
export const signPoll = 250

/**
 * How long a run outlives the last sign of life of its gateway, once that gives any: where others take over its work, a
 * run whose gateway is frozen must be gone before that.
 */
export const lease = 4500

/** So long a silence of the gateway itself may have ended its runs: its last sign may have been a heartbeat old. */
export const ownSilence = lease - heartbeat - 100

/** Within this time of its silence, a gateway that goes on has seen which of its runs ended by that. */
export const ownSilenceSeen = 10_000

/** Somewhat longer than a run can outlive its gateway: then its process number may be another's. */
export const runGone = lease + 1000

// Gateways and the others of their cluster.

/** A gateway without a heartbeat for this long is gone, and others take over its work. */
export const takeover = 7000

/** How often a gateway looks whether the others on its host still run. */
export const departurePoll = 100

/** After an outage of the database, all gateways have had the time for a heartbeat. */
export const outageSettled = 3 * heartbeat

/** A gateway renews the locks on its shards this often, and loses those that it does not renew. */
export const shardRefresh = 2000
export const shardExpiration = takeover

/** How often a gateway looks for messages, for shards and for who is alive: with others, and alone on its database. */
export const clusterPoll = 1000
export const clusterPollAlone = 10_000

/** How often the follower of an output looks for news of another gateway. */
export const followerPoll = 1000

/** How long telling an execution or a job over the cluster may take. */
export const tellDeadline = 5000

// Executions.

/** Executions of gateways that are gone, and those to be cancelled, are looked for this often. */
export const executionScan = 1000

/** Executions that nobody has claimed this long after their start are told again, and looked for this often. */
export const executionUnclaimed = 5000
export const unclaimedScan = 10_000

/**
 * The pause before a gateway that others took for dead claims an execution again: whoever has lost the execution hears
 * of it meanwhile.
 */
export const reclaimPause = 3000

// Jobs of channels.

/** Between two signs of life of a job's keeper. */
export const jobHeartbeat = 2000

/** A job whose keeper has been silent for this long is shown as not running. */
export const jobSilence = 10_000

/** A job whose keeper has been silent for this long is told again, and such jobs are looked for this often. */
export const jobUnattended = 20_000
export const jobScan = 10_000

/** How often who waits for a time of a schedule looks at the database's clock. */
export const clockLook = 5000

// The database's outages.

/** How long a request waits for a storage, its turn in the pool included. */
export const storageDeadline = 5000

/** The silence that ends a connection for short statements, even when the server shows life elsewhere. */
export const connectionSilence = 7000

/** The pauses between the tries of a write that waits for the database: they double from the first to the longest. */
export const outageRetry = { first: 100, longest: 2000 }

// The end.

/** Between the polite signal to a run's processes and the hard one. */
export const stopGrace = 2000

/** How long the last write of an interrupted attempt may take, and the pause between its tries. */
export const lastWrite = 3000
export const lastWriteRetry = 250

/** How long an execution or a job may take to end when its gateway stops or its shard moves. */
export const entityStop = 10_000

/** How long the answer to a stop of jobs waits for their runs to end, and how often it looks. */
export const stopAnswer = 10_000
export const stopPoll = 100

/** How long requests under way have when the gateway is told to stop. */
export const serverStop = 20_000
