import { boardJson } from "./dashboards/board.ts";
import { boards } from "./dashboards/boards.ts";
import { generate } from "./write-or-check.ts";

generate(
  new Map(
    Object.entries(boards).map(([name, rows]) => [
      `deploy/monitoring/dashboards/${name}.json`,
      boardJson(name, rows, Object.keys(boards)),
    ]),
  ),
);
