import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** What ties the blobs to this database, and what the gateway knows of blobs beside those that rows refer to. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  // The storage of the blobs holds the same id. The first start makes it, so that a copy of an unused database gets one
  // of its own.
  yield* sql`
    create table installation (
      is_only boolean primary key default true check (is_only),
      id uuid not null default gen_random_uuid(),
      created_at timestamptz(3) not null default clock_timestamp()
    )`
  // Blobs that nothing refers to, which wait for their removal. deleted: a deletion of their last row has freed them.
  yield* sql`
    create table unused_blobs (
      tenant text not null,
      sha256 text not null,
      since timestamptz(3) not null,
      deleted boolean not null,
      primary key (tenant, sha256)
    )`
  yield* sql`
    create table damaged_blobs (
      tenant text not null,
      sha256 text not null,
      found_at timestamptz(3) not null default clock_timestamp(),
      primary key (tenant, sha256)
    )`
  // How far the check of all blobs has come. taken_until: the gateway that took it is checking until then.
  yield* sql`
    create table blob_check (
      is_only boolean primary key default true check (is_only),
      tenant text collate "C" not null default '',
      sha256 text collate "C" not null default '',
      round_began_at timestamptz(3) not null default clock_timestamp(),
      round_ended boolean not null default false,
      taken_by text,
      taken_until timestamptz not null default '-infinity'
    )`
  yield* sql`insert into blob_check default values`
})
