import { boardJson } from "./dashboards/board.ts";
import { boards } from "./dashboards/panels.ts";
import { generate } from "./write-or-check.ts";

generate(
  new Map(
    Object.entries(boards).map(([service, panels]) => [
      `deploy/monitoring/dashboards/${service}.json`,
      boardJson(service, panels),
    ]),
  ),
);
