import { expect, test } from "vitest";
import { loadConfig } from "../load.ts";

test.each([
  [false, ["auth.backends.order"]],
  [true, []],
])("without backends, mail servers must report sign-ins: auth_policy_endpoint %s", (endpoint, paths) => {
  const text = `{ runtime: { servers: { http: { auth_policy_endpoint: ${endpoint} } } }, auth: { backends: { order: [] } } }`;
  const result = loadConfig({ text, env: {}, readFile: () => "" });
  expect(result.ok ? [] : result.problems.map(({ path }) => path)).toEqual(paths);
});
