import { operations } from "@postern/shared/contracts";
import { expect, test } from "vitest";
import { findHandlers, handlersIn, routeFiles } from "./find-handlers.ts";

const inLanguage = new Set(operations.flatMap((each) => each.inLanguage?.operationId ?? []));

test("every operation has a handler file, which is not a file that only registers", () => {
  const handlers = findHandlers(routeFiles(`${import.meta.dirname}/../..`));
  const without = operations
    .filter(({ operationId }) => !inLanguage.has(operationId))
    .filter(({ operationId }) => /^$|server\.ts$|\/register[^/]*$/u.test(handlers.get(operationId) ?? ""))
    .map(({ operationId }) => operationId);
  expect(without).toEqual([]);
});

test("the handler is the file that its function is imported from", () => {
  const text = [
    'import { getJob } from "./routes/get-job.ts";',
    'import { type Deps, deleteTotp } from "./routes/delete-totp.ts";',
    'app.route({ ...guarded("readJob"), handler: getJob(jobs) });',
    '...removal("deleteTotp", deleteTotp(deps)),',
  ].join("\n");
  expect(handlersIn({ path: "services/a/src/server.ts", text })).toEqual([
    ["readJob", "services/a/src/routes/get-job.ts"],
    ["deleteTotp", "services/a/src/routes/delete-totp.ts"],
    ["deleteTotpByForm", "services/a/src/routes/delete-totp.ts"],
  ]);
});

test("a handler in the file that registers it is found, and a missing handler is reported", () => {
  const text = 'app.route({ ...routeOf(operation("ping")), handler: async () => "pong" });';
  expect(handlersIn({ path: "services/a/src/server.ts", text })).toEqual([["ping", "services/a/src/server.ts"]]);
  expect(findHandlers([]).get("ping")).toBeUndefined();
});
