import { generatedConfigFiles } from "@postern/shared/config";
import { generate } from "./write-or-check.ts";

generate(generatedConfigFiles());
