import type { ConfigCommand } from "./config-command.ts";
import { configJsonSchema } from "./reference/json-schema.ts";

/** Prints the JSON Schema of the file, for editors. */
export const schemaCommand: ConfigCommand = () => ({
  exitCode: 0,
  output: [JSON.stringify(configJsonSchema(), null, 2)],
  errors: [],
});
