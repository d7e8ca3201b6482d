import { messages } from "../messages.ts";
import type { Config } from "../schema/root.ts";
import type { Judgement } from "./judgement.ts";

const root = "auth.backends.sql";

export function validateSql(config: Config, { problem }: Judgement): void {
  const { search, default: pool } = config.auth.backends.sql;
  const served = new Set<string>();
  search.forEach((entry, index) => {
    const path = `${root}.search[${index}]`;
    if (entry.pool_name !== "default") problem(`${path}.pool_name`, messages.unknownPool(entry.pool_name));
    const twice = entry.protocol.find((protocol) => served.has(protocol));
    if (twice !== undefined) problem(`${path}.protocol`, messages.protocolTwice(twice));
    if (entry.attribute.includes(entry.mapping.password_column))
      problem(`${path}.attribute`, messages.passwordReleased);
    for (const protocol of entry.protocol) served.add(protocol);
  });
  if (search.length > 0 && pool.file === "") {
    problem(`${root}.default.file`, messages.needsWhen(`${root}.search has entries`));
  }
}
