import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Ties the blobs to this database, and records what the gateway knows of blobs besides their references. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  // The blob storage holds the same id. The first start generates it, so that a copy of an unused database gets another
  // one.
  yield* sql`
    create table installation (
      is_only boolean primary key default true check (is_only),
      id uuid not null default gen_random_uuid(),
      created_at timestamptz(3) not null default clock_timestamp()
    )`
  // Unreferenced blobs that wait for their removal. deleted: the deletion of the last row that referred to them has
  // freed them.
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
  // The progress of the check of all blobs. taken_until: until then, the gateway in taken_by performs it.
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
