import { generatedConfigFiles } from "../cli/src/config/reference/generated-files.ts";
import { generate } from "./write-or-check.ts";

generate(generatedConfigFiles());
