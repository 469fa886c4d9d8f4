import type { PgClient } from "@effect/sql-pg"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { Connection } from "effect/sql/SqlConnection"
import { SqlError, UnknownError } from "effect/sql/SqlError"

/**
 * Lets a multiplexed client run its transactions (and what else it reserves a connection for) on the connections of
 * another client. On its own ones a transaction would first wait until the statements of everybody else that share the
 * connection are through, a slow one among them.
 */
export const withTransactionsOn = (client: PgClient.PgClient, exclusive: PgClient.PgClient): PgClient.PgClient =>
  Object.assign(client, {
    reserve: exclusive.reserve,
    withTransaction: SqlClient.makeWithTransaction({
      transactionService: client.transactionService,
      spanAttributes: [["db.system.name", "postgresql"]],
      acquireConnection: (restore) => restore(exclusive.reserve),
      begin: (connection, statement) =>
        statement === undefined ? control(connection, "BEGIN") : connection.executeUnprepared(statement, [], undefined),
      savepoint: (connection, id) => control(connection, `SAVEPOINT flow_${id}`),
      releaseSavepoint: (connection, id) => control(connection, `RELEASE SAVEPOINT flow_${id}`),
      commit,
      rollback: (connection) => control(connection, "ROLLBACK"),
      rollbackSavepoint: (connection, id) => control(connection, `ROLLBACK TO SAVEPOINT flow_${id}`)
    })
  })

const control = (connection: Connection, statement: string) => connection.execute(statement, [], undefined)

/** PostgreSQL answers the COMMIT of a failed transaction with ROLLBACK, not with an error. */
const commit = (connection: Connection): Effect.Effect<void, SqlError> =>
  Effect.flatMap(connection.executeRaw("COMMIT", []), (result) => {
    const command = typeof result === "object" && result !== null && "command" in result ? result.command : ""
    if (command !== "ROLLBACK") return Effect.void
    const message = "The transaction had failed, so its COMMIT undid it"
    return new SqlError({ reason: new UnknownError({ cause: new Error(message), message, operation: "commit" }) })
  })
