import { refused, type Sample } from "./expected.ts"

/** Bacula's messages about jobs and connections, and whole lines. */
export const samples: ReadonlyArray<Sample> = [
  [
    "BACULA_LOG_STARTJOB",
    "Start Backup JobId 24, Job=sync_all.2014-08-25_10.50.00_07",
    "job=sync_all.2014-08-25_10.50.00_07",
    "bacula.job.name=sync_all.2014-08-25_10.50.00_07"
  ],
  refused("BACULA_LOG_STARTJOB", "Start Backup JobId 24"),
  [
    "BACULA_LOG_STARTRESTORE",
    "Start Restore Job RestoreFiles.2014-08-25_10.50.00_07",
    "job=RestoreFiles.2014-08-25_10.50.00_07",
    "bacula.job.name=RestoreFiles.2014-08-25_10.50.00_07"
  ],
  refused("BACULA_LOG_STARTRESTORE", "Start Restore Job"),
  [
    "BACULA_LOG_USEDEVICE",
    'Using Device "FileChgr1-Dev1" to write.',
    "device=FileChgr1-Dev1",
    "bacula.volume.device=FileChgr1-Dev1"
  ],
  refused("BACULA_LOG_USEDEVICE", "Using Device"),
  ["BACULA_LOG_DIFF_FS", "     /boot is a different filesystem. Will not descend from / into it.", "", ""],
  refused("BACULA_LOG_DIFF_FS", "/boot is a different filesystem."),
  [
    "BACULA_LOG_JOBEND",
    "Job write elapsed time = 00:05:38, Transfer rate = 3.141 M Bytes/second",
    "elapsed=00:05:38",
    "bacula.job.elapsed_time=00:05:38"
  ],
  [
    "BACULA_LOG_JOBEND",
    "Job write elapsed time = 1 hour, 00:05:38, Transfer rate = 0  Bytes/second",
    "elapsed=1 hour, 00:05:38",
    "bacula.job.elapsed_time=1 hour, 00:05:38"
  ],
  refused("BACULA_LOG_JOBEND", "Job write elapsed time = 00:05:38"),
  ["BACULA_LOG_CANCELLING", "Cancelling duplicate JobId=15.", "", "bacula.job.other_id=15"],
  refused("BACULA_LOG_CANCELLING", "Cancelling duplicate JobId."),
  [
    "BACULA_LOG_MARKCANCEL",
    "JobId 15, Job sync.2014-08-25_10.50.00_07 marked to be canceled.",
    "job=sync.2014-08-25_10.50.00_07",
    "bacula.job.id=15 | bacula.job.name=sync.2014-08-25_10.50.00_07"
  ],
  refused("BACULA_LOG_MARKCANCEL", "JobId 15 marked to be canceled."),
  [
    "BACULA_LOG_CLIENT_RBJ",
    'shell command: run ClientRunBeforeJob "/usr/bin/pre.sh "x""',
    'runjob=/usr/bin/pre.sh "x"',
    'bacula.job.client_run_before_command=/usr/bin/pre.sh "x"'
  ],
  refused("BACULA_LOG_CLIENT_RBJ", 'shell command: run ClientRunAfterJob "x"'),
  ["BACULA_LOG_VSS", 'Generate VSS snapshots. Driver="Win64 VSS", Drive(s)="C"', "", ""],
  refused("BACULA_LOG_VSS", "Generate snapshots"),
  ["BACULA_LOG_VSS", 'VSS Writer (BackupComplete): "Task Scheduler Writer", State: 0x1 (VSS_WS_STABLE)', "", ""],
  ["BACULA_LOG_MAXSTART", "Fatal error: Job canceled because max start delay time exceeded.", "", ""],
  refused("BACULA_LOG_MAXSTART", "Fatal error: Job canceled."),
  [
    "BACULA_LOG_DUPLICATE",
    "Fatal error: JobId 15 already running. Duplicate job not allowed.",
    "duplicate=15",
    "bacula.job.other_id=15"
  ],
  refused("BACULA_LOG_DUPLICATE", "JobId 15 already running."),
  ["BACULA_LOG_NOJOBSTAT", "Fatal error: No Job status returned from FD.", "", ""],
  refused("BACULA_LOG_NOJOBSTAT", "No Job status"),
  [
    "BACULA_LOG_FATAL_CONN",
    "Fatal error: bsock.c:133 Unable to connect to Client: dc0-fd on dc0.teamworld.com:9102. ERR=Connection refused",
    "client=dc0-fd | berror=Connection refused",
    `
      bacula.client.name=dc0-fd | client.address=dc0.teamworld.com | client.port#9102 |
      error.message=Connection refused`
  ],
  [
    "BACULA_LOG_FATAL_CONN",
    "Fatal error: bsock.c:133 Unable to connect to Storage daemon on dc0.example.org:9103. ERR=Connection timed out",
    "berror=Connection timed out",
    "client.address=dc0.example.org | client.port#9103 | error.message=Connection timed out"
  ],
  ["BACULA_LOG_VSS", "VSS was not initialized properly. VSS support is disabled.", "", ""],
  refused("BACULA_LOG_FATAL_CONN", "Fatal error: bsock.c:133 Unable to connect. ERR=x"),
  [
    "BACULA_LOG_NO_CONNECT",
    "Warning: bsock.c:129 Could not connect to Client: dc0-fd on 10.0.0.1:9102. ERR=Connection refused",
    "client=dc0-fd | berror=Connection refused",
    `
      bacula.client.name=dc0-fd | client.address=10.0.0.1 | client.port#9102 | error.message=Connection refused`
  ],
  refused("BACULA_LOG_NO_CONNECT", "Warning: bsock.c:129 Could not connect."),
  [
    "BACULA_LOG_NO_AUTH",
    'Fatal error: Unable to authenticate with File daemon at "dc0.example.org:9102". Possible causes:',
    "",
    "client.address=dc0.example.org | client.port#9102"
  ],
  refused("BACULA_LOG_NO_AUTH", "Unable to authenticate with File daemon."),
  ["BACULA_LOG_NO_AUTH", "Fatal error: Unable to authenticate with File daemon. Possible causes:", "", ""],
  ["BACULA_LOG_NOSUIT", "No prior or suitable Full backup found in catalog. Doing FULL backup.", "", ""],
  refused("BACULA_LOG_NOSUIT", "No suitable Full backup found"),
  ["BACULA_LOG_NOPRIOR", "No prior Full backup Job record found.", "", ""],
  refused("BACULA_LOG_NOPRIOR", "No prior backup"),
  ["BACULA_LOG_JOB", "Error: Bacula bacula-dir 5.2.6 (21Feb12):", "", ""],
  refused("BACULA_LOG_JOB", "Bacula bacula-dir:"),
  [
    "BACULA_LOG",
    "25-Aug-2014 10:50 bacula-dir.example.org JobId 24: No Files found to prune.",
    null,
    "timestamp=25-Aug-2014 10:50 | host.hostname=bacula-dir.example.org | bacula.job.id=24"
  ],
  refused("BACULA_LOG", "25-Aug 10:50 bacula-dir JobId 24: something else"),
  [
    "BACULA_LOGLINE",
    '25-Aug 10:50 bacula-sd JobId 24: User defined maximum volume capacity 108,372,182,400 exceeded on device "FileChgr1-Dev1" (/opt/bacula/disk).',
    "bts=25-Aug 10:50 | hostname=bacula-sd | jobid=24 | device=FileChgr1-Dev1",
    `
      timestamp=25-Aug 10:50 | host.hostname=bacula-sd | bacula.job.id=24 |
      bacula.volume.max_capacity=108,372,182,400 | bacula.volume.device=FileChgr1-Dev1 |
      bacula.volume.path=/opt/bacula/disk`
  ],
  [
    "BACULA_LOGLINE",
    '25-Aug 10:50 bacula-sd JobId 24: Labeled new Volume "Vol-0018" on File device "FileChgr1-Dev1" (/opt/bacula/disk).',
    "bts=25-Aug 10:50 | hostname=bacula-sd | jobid=24 | device=FileChgr1-Dev1 | volume=Vol-0018",
    `
      timestamp=25-Aug 10:50 | host.hostname=bacula-sd | bacula.job.id=24 | bacula.volume.device=FileChgr1-Dev1 |
      bacula.volume.path=/opt/bacula/disk | bacula.volume.name=Vol-0018`
  ],
  [
    "BACULA_LOGLINE",
    "25-Aug 10:50 bacula-sd JobId 24:      Could not stat /home/a b: ERR=No such file or directory",
    "bts=25-Aug 10:50 | hostname=bacula-sd | jobid=24 | berror=No such file or directory",
    `
      timestamp=25-Aug 10:50 | host.hostname=bacula-sd | bacula.job.id=24 |
      error.message=No such file or directory | file.path=/home/a b`
  ],
  [
    "BACULA_LOGLINE",
    "25-Aug 10:50 bacula-sd JobId 24: Begin pruning Files.",
    "bts=25-Aug 10:50 | hostname=bacula-sd | jobid=24",
    "timestamp=25-Aug 10:50 | host.hostname=bacula-sd | bacula.job.id=24"
  ],
  [
    "BACULA_LOGLINE",
    "25-Aug 10:50 bacula-sd JobId 24: Start Restore Job RestoreFiles.2014-08-25_10.50.00_07",
    "bts=25-Aug 10:50 | hostname=bacula-sd | jobid=24 | job=RestoreFiles.2014-08-25_10.50.00_07",
    `
      timestamp=25-Aug 10:50 | host.hostname=bacula-sd | bacula.job.id=24 |
      bacula.job.name=RestoreFiles.2014-08-25_10.50.00_07`
  ],
  [
    "BACULA_LOGLINE",
    "25-Aug 10:50 bacula-sd JobId 24: No Files found to prune.",
    "bts=25-Aug 10:50 | hostname=bacula-sd | jobid=24",
    "timestamp=25-Aug 10:50 | host.hostname=bacula-sd | bacula.job.id=24"
  ],
  [
    "BACULA_LOGLINE",
    "25-Aug 10:50 bacula-sd JobId 24: JobId 15, Job sync.2014-08-25_10.50.00_07 marked to be canceled.",
    "bts=25-Aug 10:50 | hostname=bacula-sd | jobid=24 | job=sync.2014-08-25_10.50.00_07",
    `
      timestamp=25-Aug 10:50 | host.hostname=bacula-sd | bacula.job.id=24 | bacula.job.id=15 |
      bacula.job.name=sync.2014-08-25_10.50.00_07`
  ],
  [
    "BACULA_LOGLINE",
    "25-Aug 10:50 bacula-sd JobId 24: Fatal error: JobId 15 already running. Duplicate job not allowed.",
    "bts=25-Aug 10:50 | hostname=bacula-sd | jobid=24 | duplicate=15",
    "timestamp=25-Aug 10:50 | host.hostname=bacula-sd | bacula.job.id=24 | bacula.job.other_id=15"
  ],
  [
    "BACULA_LOGLINE",
    "25-Aug 10:50 bacula-sd JobId 24: Fatal error: Unable to authenticate with File daemon. Possible causes:",
    "bts=25-Aug 10:50 | hostname=bacula-sd | jobid=24",
    "timestamp=25-Aug 10:50 | host.hostname=bacula-sd | bacula.job.id=24"
  ],
  [
    "BACULA_LOGLINE",
    "25-Aug 10:50 bacula-dir No Files found to prune.",
    "bts=25-Aug 10:50 | hostname=bacula-dir",
    "timestamp=25-Aug 10:50 | host.hostname=bacula-dir"
  ],
  refused("BACULA_LOGLINE", "25-Aug 10:50 bacula-dir JobId 24: something else")
]
