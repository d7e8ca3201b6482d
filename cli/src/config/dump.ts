import { type Config, type RedactedConfig, redactConfig, schemaTree } from "@postern/shared/platform/config";
import { formatPath, valueLeaves } from "@postern/shared/platform/config/tree";
import { showValue } from "./show-value.ts";

/** The effective configuration as sorted `path = value` lines, redacted; values are spelled as in a file. */
export function dumpConfig(config: Config): readonly string[] {
  const masked: RedactedConfig = redactConfig(config);
  return valueLeaves(schemaTree, masked)
    .map(({ path, node, value }) => `${formatPath(path)} = ${showValue(node, value)}`)
    .toSorted();
}
