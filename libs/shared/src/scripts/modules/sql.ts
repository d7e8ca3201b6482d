import { type LuaValue, toLuaValue } from "../lua-value.ts";
import type { HostCallContext } from "../script-call.ts";
import { textArgument, textFields } from "./arguments.ts";
import type { HostFunctions } from "./host.ts";

/** Port of the databases that a site configured for its directories. Named parameters, values only. */
export interface ScriptDatabase {
  query(
    query: {
      readonly statement: string;
      readonly parameters: Readonly<Record<string, string>>;
      readonly maxRows: number;
    },
    context: Pick<HostCallContext, "deadline" | "signal">,
  ): Promise<readonly object[]>;
  close(): Promise<void>;
}

const maxRows = 1000;

/** `sql`: queries by the pools of `auth.backends.sql`. */
export function sqlModule(databases: () => ReadonlyMap<string, ScriptDatabase>): HostFunctions {
  return {
    "sql.query": async ([pool, statement, parameters], { deadline, signal }): Promise<LuaValue> => {
      const name = textArgument(pool, "pool");
      const database = databases().get(name);
      if (database === undefined) throw new Error(`no pool ${name}`);
      const query = {
        statement: textArgument(statement, "statement"),
        parameters: textFields(parameters, "parameters"),
        maxRows,
      };
      return (await database.query(query, { deadline, signal })).map((row) => toLuaValue(row));
    },
  };
}
