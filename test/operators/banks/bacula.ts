import { refused, type Sample } from "./expected.ts"

/** Bacula's messages about volumes, files and pruning. */
export const samples: ReadonlyArray<Sample> = [
  ["BACULA_TIMESTAMP", "25-Aug 10:50", "", ""],
  ["BACULA_TIMESTAMP", "25-Aug-2014 10:50", null, ""],
  refused("BACULA_TIMESTAMP", "Aug-25 10:50"),
  ["BACULA_HOST", "bacula-sd", "", ""],
  ["BACULA_HOST", "sd.example.org", "", ""],
  refused("BACULA_HOST", '"#"'),
  ["BACULA_VOLUME", "Vol-0018", "", ""],
  refused("BACULA_VOLUME", '""'),
  ["BACULA_DEVICE", "FileChgr1-Dev1", "", ""],
  refused("BACULA_DEVICE", "()"),
  ["BACULA_DEVICEPATH", "/opt/bacula/disk", "", ""],
  refused("BACULA_DEVICEPATH", "disk"),
  ["BACULA_CAPACITY", "1,234,567", "", ""],
  ["BACULA_CAPACITY", "12", "", ""],
  refused("BACULA_CAPACITY", "none"),
  ["BACULA_VERSION", "5.2.6", "", ""],
  refused("BACULA_VERSION", "()"),
  ["BACULA_JOB", "sync_all.2014-08-25_10.50.00_07", "", ""],
  refused("BACULA_JOB", '""'),
  [
    "BACULA_LOG_MAX_CAPACITY",
    'User defined maximum volume capacity 108,372,182,400 exceeded on device "FileChgr1-Dev1" (/opt/bacula/disk).',
    "device=FileChgr1-Dev1",
    `
      bacula.volume.max_capacity=108,372,182,400 | bacula.volume.device=FileChgr1-Dev1 |
      bacula.volume.path=/opt/bacula/disk`
  ],
  refused(
    "BACULA_LOG_MAX_CAPACITY",
    'User defined maximum volume capacity exceeded on device "FileChgr1-Dev1" (/opt/bacula/disk)'
  ),
  [
    "BACULA_LOG_MAX_CAPACITY",
    'User defined maximum volume size 5,000 will be exceeded on device "FileChgr1-Dev1" (/opt/bacula/disk).',
    "device=FileChgr1-Dev1",
    `
      bacula.volume.max_capacity=5,000 | bacula.volume.device=FileChgr1-Dev1 | bacula.volume.path=/opt/bacula/disk`
  ],
  [
    "BACULA_LOG_END_VOLUME",
    'End of medium on Volume "Vol-0018" Bytes=64,503,000 Blocks=1,000 at 25-Aug-2014 10:50.',
    "volume=Vol-0018",
    `
      bacula.volume.name=Vol-0018 | bacula.volume.bytes=64,503,000 | bacula.volume.blocks=1,000 |
      bacula.timestamp=25-Aug-2014 10:50`
  ],
  refused("BACULA_LOG_END_VOLUME", 'End of medium on Volume "Vol-0018" Bytes= Blocks=1'),
  [
    "BACULA_LOG_NEW_VOLUME",
    'Created new Volume "Vol-0018" in catalog.',
    "volume=Vol-0018",
    "bacula.volume.name=Vol-0018"
  ],
  refused("BACULA_LOG_NEW_VOLUME", "Created new Volume Vol-0018 in catalog."),
  [
    "BACULA_LOG_NEW_LABEL",
    'Labeled new Volume "Vol-0018" on device "FileChgr1-Dev1" (/opt/bacula/disk).',
    "volume=Vol-0018 | device=FileChgr1-Dev1",
    `
      bacula.volume.name=Vol-0018 | bacula.volume.device=FileChgr1-Dev1 | bacula.volume.path=/opt/bacula/disk`
  ],
  refused("BACULA_LOG_NEW_LABEL", 'Labeled new Volume "Vol-0018" on device x'),
  [
    "BACULA_LOG_NEW_LABEL",
    'Labeled new Volume "Vol-0018" on File device "FileChgr1-Dev1" (/opt/bacula/disk).',
    "volume=Vol-0018 | device=FileChgr1-Dev1",
    `
      bacula.volume.name=Vol-0018 | bacula.volume.device=FileChgr1-Dev1 | bacula.volume.path=/opt/bacula/disk`
  ],
  [
    "BACULA_LOG_WROTE_LABEL",
    'Wrote label to prelabeled Volume "Vol-0018" on device "FileChgr1-Dev1" (/opt/bacula/disk)',
    "volume=Vol-0018",
    `
      bacula.volume.name=Vol-0018 | bacula.volume.device=FileChgr1-Dev1 | bacula.volume.path=/opt/bacula/disk`
  ],
  refused("BACULA_LOG_WROTE_LABEL", "Wrote label to prelabeled Volume Vol-0018"),
  [
    "BACULA_LOG_NEW_MOUNT",
    'New volume "Vol-0018" mounted on device "FileChgr1-Dev1" (/opt/bacula/disk) at 25-Aug-2014 10:50.',
    "volume=Vol-0018 | device=FileChgr1-Dev1",
    `
      bacula.volume.name=Vol-0018 | bacula.volume.device=FileChgr1-Dev1 | bacula.volume.path=/opt/bacula/disk |
      bacula.timestamp=25-Aug-2014 10:50`
  ],
  refused("BACULA_LOG_NEW_MOUNT", 'New volume "Vol-0018" mounted on device "FileChgr1-Dev1" (/opt/bacula/disk)'),
  [
    "BACULA_LOG_NOOPEN",
    '     Cannot open "/home/x": ERR=Permission denied',
    "berror=Permission denied",
    "error.message=Permission denied"
  ],
  refused("BACULA_LOG_NOOPEN", "Cannot open /home/x"),
  [
    "BACULA_LOG_NOOPENDIR",
    '     Could not open directory "/root": ERR=Permission denied',
    "berror=Permission denied",
    "file.path=/root | error.message=Permission denied"
  ],
  refused("BACULA_LOG_NOOPENDIR", 'Could not open directory "/root"'),
  [
    "BACULA_LOG_NOSTAT",
    "     Could not stat /home/a b: ERR=No such file or directory",
    "berror=No such file or directory",
    "file.path=/home/a b | error.message=No such file or directory"
  ],
  refused("BACULA_LOG_NOSTAT", "Could not stat /home/a"),
  [
    "BACULA_LOG_NOJOBS",
    'There are no more Jobs associated with Volume "Vol-0018". Marking it purged.',
    "volume=Vol-0018",
    "bacula.volume.name=Vol-0018"
  ],
  refused("BACULA_LOG_NOJOBS", "There are no more Jobs"),
  [
    "BACULA_LOG_ALL_RECORDS_PRUNED",
    'All records pruned from Volume "Vol-0018"; marking it "Purged"',
    "volume=Vol-0018",
    "bacula.volume.name=Vol-0018"
  ],
  refused("BACULA_LOG_ALL_RECORDS_PRUNED", 'All records pruned from Volume "Vol-0018"'),
  ["BACULA_LOG_BEGIN_PRUNE_JOBS", "Begin pruning Jobs older than 1 month 5 days .", "", ""],
  refused("BACULA_LOG_BEGIN_PRUNE_JOBS", "Begin pruning Jobs older"),
  ["BACULA_LOG_BEGIN_PRUNE_JOBS", "Begin pruning Jobs older than 6 months .", "", ""],
  ["BACULA_LOG_BEGIN_PRUNE_FILES", "Begin pruning Files.", "", ""],
  refused("BACULA_LOG_BEGIN_PRUNE_FILES", "Begin pruning Files"),
  [
    "BACULA_LOG_PRUNED_JOBS",
    "Pruned 2 Jobs for client bacula-fd from catalog.",
    "client=bacula-fd",
    "bacula.client.name=bacula-fd"
  ],
  refused("BACULA_LOG_PRUNED_JOBS", "Pruned Jobs for client bacula-fd from catalog."),
  [
    "BACULA_LOG_PRUNED_FILES",
    "Pruned Files from 1 Jobs for client bacula-fd from catalog.",
    "client=bacula-fd",
    "bacula.client.name=bacula-fd"
  ],
  refused("BACULA_LOG_PRUNED_FILES", "Pruned Files for client bacula-fd from catalog."),
  ["BACULA_LOG_ENDPRUNE", "End auto prune.", "", ""],
  refused("BACULA_LOG_ENDPRUNE", "End prune."),
  ["BACULA_LOG_NOPRUNE_JOBS", "No Jobs found to prune.", "", ""],
  refused("BACULA_LOG_NOPRUNE_JOBS", "No Jobs found"),
  ["BACULA_LOG_NOPRUNE_FILES", "No Files found to prune.", "", ""],
  refused("BACULA_LOG_NOPRUNE_FILES", "No Files found"),
  [
    "BACULA_LOG_VOLUME_PREVWRITTEN",
    'Volume "Vol-0018" previously written, moving to end of data.',
    "volume=Vol-0018",
    "bacula.volume.name=Vol-0018"
  ],
  [
    "BACULA_LOG_VOLUME_PREVWRITTEN",
    "Volume test01 previously written, moving to end of data.",
    "volume=test01",
    "bacula.volume.name=test01"
  ],
  refused("BACULA_LOG_VOLUME_PREVWRITTEN", 'Volume "Vol-0018" previously written'),
  [
    "BACULA_LOG_READYAPPEND",
    'Ready to append to end of Volume "Vol-0018" size=64503',
    "volume=Vol-0018",
    "bacula.volume.name=Vol-0018 | bacula.volume.size#64503"
  ],
  refused("BACULA_LOG_READYAPPEND", 'Ready to append to end of Volume "Vol-0018"'),
  [
    "BACULA_LOG_READYAPPEND",
    'Ready to append to end of Volume "Vol-0018" size=64,503,000',
    "volume=Vol-0018",
    "bacula.volume.name=Vol-0018"
  ]
]
