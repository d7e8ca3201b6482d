import { exampleFile } from "./example-file.ts";
import { configJsonSchema } from "./json-schema.ts";
import { referencePages } from "./pages.ts";

/** Every file that is made from the schema: its path from the repository's root, and its text. */
export function generatedConfigFiles(): ReadonlyMap<string, string> {
  const pages = referencePages().map(({ name, text }) => [`docs/reference/configuration/${name}`, text] as const);
  return new Map([
    ...pages,
    ["docs/reference/configuration/schema.json", `${JSON.stringify(configJsonSchema(), null, 2)}\n`],
    ["config/example.yaml", exampleFile()],
  ]);
}
