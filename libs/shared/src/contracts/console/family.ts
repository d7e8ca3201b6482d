import { backchannel } from "../operations/answers.ts";
import { operationsWith } from "../operations/define-operation.ts";
import { defineFamily, operatorScopes } from "../operations/route-family.ts";

export const consoleFamily = defineFamily({
  name: "console",
  prefix: "/api/v1/console",
  owner: "admin",
  channel: "back",
  anyScope: operatorScopes,
});

export const consoleApi = operationsWith(backchannel(consoleFamily, "Help desk"));
