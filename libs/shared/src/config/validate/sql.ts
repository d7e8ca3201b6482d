import { messages } from "../messages.ts";
import type { Config } from "../schema/root.ts";
import type { Judgement } from "./judgement.ts";
import { validateProtocols } from "./search-protocols.ts";

const root = "auth.backends.sql";

export function validateSql(config: Config, judgement: Judgement): void {
  const { search, default: pool } = config.auth.backends.sql;
  search.forEach((entry, index) => {
    const isKnown = entry.pool_name === "default";
    if (!isKnown) judgement.problem(`${root}.search[${index}].pool_name`, messages.unknownPool(entry.pool_name));
  });
  validateProtocols(root, search, { pool: "default", judgement });
  if (search.length > 0 && pool.file === "") {
    judgement.problem(`${root}.default.file`, messages.needsWhen(`${root}.search has entries`));
  }
}
