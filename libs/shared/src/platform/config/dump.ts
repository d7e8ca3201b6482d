import { type RedactedConfig, redactConfig } from "./redact.ts";
import type { Config } from "./schema/root.ts";
import { showValue } from "./show-value.ts";
import { schemaTree } from "./tree/from-schema.ts";
import { formatPath } from "./tree/path.ts";
import { valueLeaves } from "./tree/walk.ts";

/** The effective configuration as sorted `path = value` lines, redacted; values are spelled as in a file. */
export function dumpConfig(config: Config): readonly string[] {
  const masked: RedactedConfig = redactConfig(config);
  return valueLeaves(schemaTree(), masked)
    .map(({ path, node, value }) => `${formatPath(path)} = ${showValue(node, value)}`)
    .toSorted();
}
