/**
 * Messages of the Bacula backup daemons, fields as in Logstash before ECS. A device is printed as `"name" (path)`.
 * Messages about one file are indented, which the pattern for whole lines allows.
 */

/** All messages, in the order in which BACULA_LOGLINE tries them. */
export const messages = [
  ["MAX_CAPACITY", "END_VOLUME", "NEW_VOLUME", "NEW_LABEL", "WROTE_LABEL", "NEW_MOUNT", "NOOPEN", "NOOPENDIR"],
  ["NOSTAT", "NOJOBS", "ALL_RECORDS_PRUNED", "BEGIN_PRUNE_JOBS", "BEGIN_PRUNE_FILES", "PRUNED_JOBS", "PRUNED_FILES"],
  ["ENDPRUNE", "STARTJOB", "STARTRESTORE", "USEDEVICE", "DIFF_FS", "JOBEND", "NOPRUNE_JOBS", "NOPRUNE_FILES"],
  ["VOLUME_PREVWRITTEN", "READYAPPEND", "CANCELLING", "MARKCANCEL", "CLIENT_RBJ", "VSS", "MAXSTART", "DUPLICATE"],
  ["NOJOBSTAT", "FATAL_CONN", "NO_CONNECT", "NO_AUTH", "NOSUIT", "JOB", "NOPRIOR"]
]
  .flat()
  .map((message) => `%{BACULA_LOG_${message}}`)
  .join("|")

/** Patterns without fields, which both sets share. */
export const plain: Readonly<Record<string, string>> = {
  BACULA_VOLUME: "%{USER}",
  BACULA_DEVICE: "%{USER}",
  BACULA_DEVICEPATH: "%{UNIXPATH}",
  /** A count with commas between the thousands: `1,234,567`. */
  BACULA_CAPACITY: "%{INT}(?:,[0-9]{3})*",
  BACULA_VERSION: "%{USER}",
  BACULA_JOB: "%{USER}",
  BACULA_LOG_BEGIN_PRUNE_JOBS: String.raw`Begin pruning Jobs(?: older than(?: %{INT} [a-z]+)+)? ?\.`,
  BACULA_LOG_BEGIN_PRUNE_FILES: String.raw`Begin pruning Files(?: older than [^.\n]{1,80})?\.`,
  BACULA_LOG_ENDPRUNE: String.raw`End auto prune\.`,
  BACULA_LOG_DIFF_FS: [
    String.raw`(?<!\S)%{UNIXPATH} is a different filesystem\. Will not descend from %{UNIXPATH} into `,
    String.raw`it\.`
  ].join(""),
  BACULA_LOG_NOPRUNE_JOBS: String.raw`No Jobs found to prune\.`,
  BACULA_LOG_NOPRUNE_FILES: String.raw`No Files found to prune\.`,
  BACULA_LOG_VSS: String.raw`(?:Generate )?VSS\b(?: Writer\b)?`,
  BACULA_LOG_MAXSTART: [
    "Fatal [Ee]rror: Job cancell?ed because max (?:start delay|run|sched run) time ",
    String.raw`exceeded\.`
  ].join(""),
  BACULA_LOG_NOJOBSTAT: String.raw`Fatal [Ee]rror: No Job status returned from FD\.`,
  BACULA_LOG_NOSUIT: [
    String.raw`No prior or suitable (?:Full|Differential) backup found in catalog\. Doing (?:FULL|Differential) `,
    String.raw`backup\.`
  ].join(""),
  BACULA_LOG_NOPRIOR: String.raw`No prior (?:Full )?backup Job record found\.`,
  BACULA_LOG_JOB: String.raw`(?:Error: )?Bacula (?:Enterprise )?%{BACULA_HOST} %{BACULA_VERSION} \(%{BACULA_VERSION}\):`
}

/** Everything up to the reason of a failed connection. The pattern set decides how the peer's address is captured. */
export const connection = (outset: string, client: string, address: string): string =>
  String.raw`${outset} to (?:(?:Client: )?${client}|(?:File|Storage) daemon) on ${address}\. ERR=`

export const patterns: Readonly<Record<string, string>> = {
  ...plain,
  BACULA_TIMESTAMP: "%{MONTHDAY}-%{MONTH} %{HOUR}:%{MINUTE}",
  BACULA_HOST: "[A-Za-z0-9-]+",
  BACULA_LOG_MAX_CAPACITY: [
    "User defined maximum volume (?:capacity|size) %{BACULA_CAPACITY} (?:will be )?exceeded on device ",
    String.raw`"%{BACULA_DEVICE:device}" \(%{BACULA_DEVICEPATH}\)\.?`
  ].join(""),
  BACULA_LOG_END_VOLUME: [
    `End of medium on Volume "%{BACULA_VOLUME:volume}" Bytes=%{BACULA_CAPACITY} Blocks=%{BACULA_CAPACITY}`,
    String.raw` at %{MONTHDAY}-%{MONTH}-%{YEAR} %{HOUR}:%{MINUTE}\.`
  ].join(""),
  BACULA_LOG_NEW_VOLUME: [
    `Created new Volume "%{BACULA_VOLUME:volume}"(?:, Pool="[^"]*", MediaType="[^"]*")? in `,
    String.raw`catalog\.`
  ].join(""),
  BACULA_LOG_NEW_LABEL: [
    `Labeled new Volume "%{BACULA_VOLUME:volume}" on (?:[A-Za-z]+ )?device "%{BACULA_DEVICE:device}" `,
    String.raw`\(%{BACULA_DEVICEPATH}\)\.`
  ].join(""),
  BACULA_LOG_WROTE_LABEL: [
    `Wrote label to prelabeled Volume "%{BACULA_VOLUME:volume}" on (?:[A-Za-z]+ )?device "%{BACULA_DEVICE}" `,
    String.raw`\(%{BACULA_DEVICEPATH}\)`
  ].join(""),
  BACULA_LOG_NEW_MOUNT: [
    `New volume "%{BACULA_VOLUME:volume}" mounted on device "%{BACULA_DEVICE:device}" `,
    String.raw`\(%{BACULA_DEVICEPATH}\) at %{MONTHDAY}-%{MONTH}-%{YEAR} %{HOUR}:%{MINUTE}\.`
  ].join(""),
  BACULA_LOG_NOOPEN: "Cannot open (?>%{DATA}: ERR=)%{GREEDYDATA:berror}",
  BACULA_LOG_NOOPENDIR: "Could not open directory (?>%{DATA}: ERR=)%{GREEDYDATA:berror}",
  BACULA_LOG_NOSTAT: "Could not stat (?>%{DATA}: ERR=)%{GREEDYDATA:berror}",
  BACULA_LOG_NOJOBS: [
    String.raw`There are no more Jobs associated with Volume "%{BACULA_VOLUME:volume}"\. Marking it `,
    String.raw`purged\.`
  ].join(""),
  BACULA_LOG_ALL_RECORDS_PRUNED: `All records pruned from Volume "%{BACULA_VOLUME:volume}"; marking it "Purged"`,
  BACULA_LOG_PRUNED_JOBS: String.raw`Pruned %{INT} Jobs? for client %{BACULA_HOST:client} from catalog\.`,
  BACULA_LOG_PRUNED_FILES: String.raw`Pruned Files from %{INT} Jobs? for client %{BACULA_HOST:client} from catalog\.`,
  BACULA_LOG_STARTJOB: "Start (?:[A-Z][A-Za-z]* )?Backup JobId %{INT}, Job=%{BACULA_JOB:job}",
  BACULA_LOG_STARTRESTORE: "Start Restore Job %{BACULA_JOB:job}",
  BACULA_LOG_USEDEVICE: `Using Device "%{BACULA_DEVICE:device}"`,
  BACULA_LOG_JOBEND: [
    "Job write elapsed time = (?>%{DATA:elapsed}, Transfer rate = )",
    "%{NUMBER} (?:[KMGT]? )?Bytes/second"
  ].join(""),
  BACULA_LOG_VOLUME_PREVWRITTEN: `Volume "?%{BACULA_VOLUME:volume}"? previously written, moving to end of data`,
  BACULA_LOG_READYAPPEND: `Ready to append to end of Volume "%{BACULA_VOLUME:volume}" size=%{INT}`,
  BACULA_LOG_CANCELLING: String.raw`Cancelling duplicate JobId=%{INT}\.`,
  BACULA_LOG_MARKCANCEL: String.raw`JobId %{INT}, Job %{BACULA_JOB:job} marked to be cancell?ed\.`,
  BACULA_LOG_CLIENT_RBJ: `shell command: run ClientRunBeforeJob "%{GREEDYDATA:runjob}"`,
  BACULA_LOG_DUPLICATE: [
    String.raw`Fatal [Ee]rror: JobId %{INT:duplicate} already running\. Duplicate job not `,
    String.raw`allowed\.`
  ].join(""),
  BACULA_LOG_FATAL_CONN: connection(
    String.raw`Fatal [Ee]rror: bsock\.c:[0-9]+ Unable to connect`,
    "%{BACULA_HOST:client}",
    "%{HOSTNAME}:%{POSINT}"
  ).concat("(?<berror>%{GREEDYDATA})"),
  BACULA_LOG_NO_CONNECT: connection(
    String.raw`Warning: bsock\.c:[0-9]+ Could not connect`,
    "%{BACULA_HOST:client}",
    "%{HOSTNAME}:%{POSINT}"
  ).concat("(?<berror>%{GREEDYDATA})"),
  BACULA_LOG_NO_AUTH: [
    String.raw`Fatal [Ee]rror: Unable to authenticate with File daemon(?: (?:at|on) %{DATA})?\. Possible `,
    "causes:"
  ].join(""),
  BACULA_LOGLINE: [
    "%{BACULA_TIMESTAMP:bts} %{BACULA_HOST:hostname} ?(?:JobId ",
    String.raw`%{INT:jobid})?:?\s*+(?:${messages})`
  ].join("")
}
