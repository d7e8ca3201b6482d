import { expect, test } from "vitest";
import { loadConfig } from "../load.ts";

const own = ({ path }: { readonly path: string }): boolean => path.startsWith("runtime.servers.http");

function judged(http: string) {
  const text = `runtime: { servers: { http: { ${http} } } }`;
  const result = loadConfig({ text, env: {}, readFile: () => "" });
  const problems = result.ok ? [] : result.problems.filter(own).map(({ path }) => path);
  return { problems, warnings: result.warnings.filter(own).map(({ path }) => path) };
}

const listeners = "runtime.servers.http.haproxy_v2_listeners";

test.each<[settings: string, problems: readonly string[], warnings: readonly string[]]>([
  ["haproxy_v2: true", [], []],
  ["haproxy_v2: true, haproxy_v2_listeners: [backchannel]", [], []],
  ["haproxy_v2: true, frontend_address: ['127.0.0.1:9081'], haproxy_v2_listeners: [frontend]", [], []],
  ["haproxy_v2: true, haproxy_v2_listeners: [frontend]", ["runtime.servers.http.frontend_address"], []],
  ["haproxy_v2: true, haproxy_v2_listeners: [backchannel, pages]", [`${listeners}[1]`], []],
  ["haproxy_v2: true, haproxy_v2_listeners: [toString]", [`${listeners}[0]`], []],
  ["haproxy_v2_listeners: [backchannel]", [], [listeners]],
])("%s", (settings, problems, warnings) => {
  expect(judged(settings)).toEqual({ problems, warnings });
});
