import {
  type HostFunctions,
  type LuaValue,
  objectArgument,
  textArgument,
  textFields,
  toLuaValue,
} from "@postern/shared/domain/scripts";
import type { SqlClient, SqlStatement } from "./sql-client.ts";

type ScriptDatabase = Pick<SqlClient, "query" | "execute">;

const maxRows = 1000;
const maxStatements = 64;

function statementOf(statement: LuaValue, parameters: LuaValue): SqlStatement {
  return { statement: textArgument(statement, "statement"), parameters: textFields(parameters, "parameters") };
}

function statementsOf(list: LuaValue): readonly SqlStatement[] {
  if (!Array.isArray(list)) throw new TypeError("statements must be a list");
  if (list.length > maxStatements) throw new RangeError(`more than ${maxStatements} statements`);
  return list.map((item: LuaValue) => {
    const { statement, parameters } = objectArgument(item, "statement");
    return statementOf(statement, parameters);
  });
}

/** `sql`: queries and changes through the pools of `auth.backends.sql`. */
export function sqlModule(find: (pool: string) => ScriptDatabase | undefined): HostFunctions {
  const databaseOf = (pool: LuaValue): ScriptDatabase => {
    const name = textArgument(pool, "pool");
    const database = find(name);
    if (database === undefined) throw new Error(`unknown pool ${name}`);
    return database;
  };
  return {
    "sql.query": async ([pool, statement, parameters], { deadline, signal }) => {
      const query = { ...statementOf(statement, parameters), maxRows };
      return (await databaseOf(pool).query(query, { deadline, signal })).map((row) => toLuaValue(row));
    },
    "sql.execute": async ([pool, statement, parameters], { deadline, signal }) => {
      const one = statementOf(statement, parameters);
      return (await databaseOf(pool).execute([one], { deadline, signal }))[0] ?? 0;
    },
    "sql.transaction": async ([pool, statements], { deadline, signal }) =>
      databaseOf(pool).execute(statementsOf(statements), { deadline, signal }),
  };
}
