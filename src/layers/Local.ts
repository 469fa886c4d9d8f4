import { Layer } from "effect"
import * as FileMeter from "./blobs/DataAreaMeter.ts"
import * as DataArea from "./blobs/DataFolders.ts"
import * as StreamHash from "./blobs/Sha256Hash.ts"
import * as DiskChannels from "./conf/ChannelFilesOnDisk.ts"
import * as DiskConf from "./conf/ConfFolders.ts"
import * as PlatformFile from "./conf/PlatformFile.ts"
import * as DiskTenants from "./conf/Tenants.ts"
import * as Folders from "./documentation/Folders.ts"
import * as Markdown from "./documentation/Markdown.ts"
import * as WatchedFolders from "./files/WatchedFolders.ts"
import * as WrittenFolders from "./files/WrittenFolders.ts"
import * as PatternFiles from "./operators/PatternFolders.ts"
import * as OperatorPool from "./operators/Pool.ts"

/** Adapters that need only this machine's files and threads. Production and the tests in memory share them. */
export const layer = Layer.mergeAll(
  DataArea.layer,
  FileMeter.layer,
  WrittenFolders.layer,
  StreamHash.layer,
  OperatorPool.layer,
  PatternFiles.layer,
  DiskConf.layer,
  DiskChannels.layer,
  Folders.layer,
  Markdown.layer,
  DiskTenants.layer,
  PlatformFile.layer,
  WatchedFolders.layer
)
