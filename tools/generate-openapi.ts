import { renderOpenapi } from "@postern/shared/platform/openapi";
import { generate } from "./write-or-check.ts";

const head = "# Made from libs/shared/src/contracts by tools/generate-openapi.ts; do not edit.\n";

generate(
  new Map([
    ["docs/reference/api/management.yaml", head + renderOpenapi({ audience: "management" }).yaml],
    ["docs/reference/api/idp.yaml", head + renderOpenapi({ audience: "idp" }).yaml],
  ]),
);
