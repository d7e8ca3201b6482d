import { configJsonSchema } from "../config-reference/json-schema.ts";
import type { ConfigCommand } from "./config-command.ts";

/** Prints the JSON Schema of the file, for editors. */
export const schemaCommand: ConfigCommand = () => ({
  exitCode: 0,
  output: [JSON.stringify(configJsonSchema(), null, 2)],
  errors: [],
});
