import { generatedConfigFiles } from "./config-reference/generated-files.ts";
import { generate } from "./write-or-check.ts";

generate(generatedConfigFiles());
