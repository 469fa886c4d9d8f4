/**
 * Messages of the Bacula backup daemons, fields by the Elastic Common Schema. The legacy bank describes the messages.
 */

import { connection, messages, plain } from "../legacy/bacula.ts"

const volume = '"%{BACULA_VOLUME:[bacula][volume][name]}"'
const device = String.raw`"%{BACULA_DEVICE:[bacula][volume][device]}" \(%{BACULA_DEVICEPATH:[bacula][volume][path]}\)`
const client = "%{BACULA_HOST:[bacula][client][name]}"
const address = "%{IPORHOST:[client][address]}:%{POSINT:[client][port]:int}"
const job = "%{BACULA_JOB:[bacula][job][name]}"

/** A file and why it could not be read. Quotes around the path do not belong to it. */
const unreadable = (outset: string) => `${outset} "?(?>%{DATA:[file][path]}"?: ERR=)%{GREEDYDATA:[error][message]}`

export const patterns: Readonly<Record<string, string>> = {
  ...plain,
  BACULA_TIMESTAMP: "%{MONTHDAY}-%{MONTH}(?:-%{YEAR})? %{HOUR}:%{MINUTE}",
  BACULA_HOST: "%{HOSTNAME}",
  BACULA_LOG_MAX_CAPACITY: [
    "User defined maximum volume (?:capacity|size) %{BACULA_CAPACITY:[bacula][volume][max_capacity]} ",
    String.raw`(?:will be )?exceeded on device ${device}\.?`
  ].join(""),
  BACULA_LOG_END_VOLUME: [
    `End of medium on Volume ${volume} Bytes=%{BACULA_CAPACITY:[bacula][volume][bytes]} `,
    String.raw`Blocks=%{BACULA_CAPACITY:[bacula][volume][blocks]} at %{BACULA_TIMESTAMP:[bacula][timestamp]}\.`
  ].join(""),
  BACULA_LOG_NEW_VOLUME: String.raw`Created new Volume ${volume}(?:, Pool="[^"]*", MediaType="[^"]*")? in catalog\.`,
  BACULA_LOG_NEW_LABEL: String.raw`Labeled new Volume ${volume} on (?:[A-Za-z]+ )?device ${device}\.`,
  BACULA_LOG_WROTE_LABEL: `Wrote label to prelabeled Volume ${volume} on (?:[A-Za-z]+ )?device ${device}`,
  BACULA_LOG_NEW_MOUNT: [
    `New volume ${volume} mounted on device ${device} at `,
    String.raw`%{BACULA_TIMESTAMP:[bacula][timestamp]}\.`
  ].join(""),
  BACULA_LOG_NOOPEN: "Cannot open (?>%{DATA}: ERR=)%{GREEDYDATA:[error][message]}",
  BACULA_LOG_NOOPENDIR: unreadable("Could not open directory"),
  BACULA_LOG_NOSTAT: unreadable("Could not stat"),
  BACULA_LOG_NOJOBS: String.raw`There are no more Jobs associated with Volume ${volume}\. Marking it purged\.`,
  BACULA_LOG_ALL_RECORDS_PRUNED: `All records pruned from Volume ${volume}; marking it "Purged"`,
  BACULA_LOG_PRUNED_JOBS: String.raw`Pruned %{INT} Jobs? for client ${client} from catalog\.`,
  BACULA_LOG_PRUNED_FILES: String.raw`Pruned Files from %{INT} Jobs? for client ${client} from catalog\.`,
  BACULA_LOG_STARTJOB: `Start (?:[A-Z][A-Za-z]* )?Backup JobId %{INT}, Job=${job}`,
  BACULA_LOG_STARTRESTORE: `Start Restore Job ${job}`,
  BACULA_LOG_USEDEVICE: `Using Device "%{BACULA_DEVICE:[bacula][volume][device]}"`,
  BACULA_LOG_JOBEND: [
    "Job write elapsed time = (?>%{DATA:[bacula][job][elapsed_time]}, Transfer rate = )",
    "%{NUMBER} (?:[KMGT]? )?Bytes/second"
  ].join(""),
  BACULA_LOG_VOLUME_PREVWRITTEN: `Volume "?%{BACULA_VOLUME:[bacula][volume][name]}"? previously written, moving to end of data`,
  /** Later versions print the size with commas, which the integer field cannot represent. */
  BACULA_LOG_READYAPPEND: [
    `Ready to append to end of Volume ${volume} `,
    "size=(?:%{INT:[bacula][volume][size]:int}(?![,0-9])|[0-9,]+)"
  ].join(""),
  BACULA_LOG_CANCELLING: String.raw`Cancelling duplicate JobId=%{INT:[bacula][job][other_id]}\.`,
  BACULA_LOG_MARKCANCEL: String.raw`JobId %{INT:[bacula][job][id]}, Job ${job} marked to be cancell?ed\.`,
  BACULA_LOG_CLIENT_RBJ: [
    "shell command: run ClientRunBeforeJob ",
    `"%{GREEDYDATA:[bacula][job][client_run_before_command]}"`
  ].join(""),
  BACULA_LOG_DUPLICATE: [
    String.raw`Fatal [Ee]rror: JobId %{INT:[bacula][job][other_id]} already running\. `,
    String.raw`Duplicate job not allowed\.`
  ].join(""),
  BACULA_LOG_FATAL_CONN: connection(
    String.raw`Fatal [Ee]rror: bsock\.c:[0-9]+ Unable to connect`,
    client,
    address
  ).concat("%{GREEDYDATA:[error][message]}"),
  BACULA_LOG_NO_CONNECT: connection(String.raw`Warning: bsock\.c:[0-9]+ Could not connect`, client, address).concat(
    "%{GREEDYDATA:[error][message]}"
  ),
  BACULA_LOG_NO_AUTH: [
    "Fatal [Ee]rror: Unable to authenticate with File daemon",
    String.raw`(?: (?:at|on) "?%{IPORHOST:[client][address]}(?::%{POSINT:[client][port]:int})?"?)?\. Possible causes:`
  ].join(""),
  BACULA_LOG: [
    "%{BACULA_TIMESTAMP:timestamp} %{BACULA_HOST:[host][hostname]} ?(?:JobId %{INT:[bacula][job][id]})?:?",
    String.raw`\s*+(?:${messages})`
  ].join(""),
  BACULA_LOGLINE: "%{BACULA_LOG}"
}
