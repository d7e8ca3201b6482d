import { expect, test } from "vitest";
import { loadConfig } from "../load.ts";

interface ConsoleSettings {
  readonly url?: string;
  readonly clientId?: string;
  readonly secret?: string;
  readonly roles?: string;
}

const own = (path: string): boolean => path.startsWith("runtime.console");

function judged({
  url = "https://console.example.test",
  clientId = "desk",
  secret = "a-secret",
  roles = "admin: [wheel]",
}: ConsoleSettings) {
  const client = `{ client_id: desk, client_secret: '${secret}', redirect_uris: ['https://console.example.test/console/callback'] }`;
  const text = `
runtime: { servers: { http: { console_address: ['127.0.0.1:9081'] } }, console: { url: '${url}', client_id: '${clientId}', roles: { ${roles} } } }
storage: { redis: { encryption_secret: a-secret-of-the-test } }
identity: { frontend: { enabled: true }, oidc: { enabled: true, issuer: 'https://id.example.test', clients: [${client}] } }`;
  const result = loadConfig({ text, env: {}, readFile: () => "" });
  const problems = result.ok ? [] : result.problems.map(({ path }) => path);
  return { problems: problems.filter(own), warnings: result.warnings.map(({ path }) => path).filter(own) };
}

test("a console with an origin, a client with a secret and a role is accepted", () => {
  expect(judged({})).toEqual({ problems: [], warnings: [] });
  expect(judged({ url: "http://127.0.0.1:9081" }).problems).toEqual([]);
});

test.each<[why: string, settings: ConsoleSettings, path: string]>([
  ["no origin", { url: "" }, "runtime.console.url"],
  ["a path", { url: "https://console.example.test/desk" }, "runtime.console.url"],
  ["http on another machine", { url: "http://console.example.test" }, "runtime.console.url"],
  ["no client", { clientId: "" }, "runtime.console.client_id"],
  ["an unknown client", { clientId: "other" }, "runtime.console.client_id"],
  ["a public client", { secret: "" }, "runtime.console.client_id"],
])("a console with %s is a problem", (_why, settings, path) => {
  expect(judged(settings).problems).toEqual([path]);
});

test("a console without operators is worth a warning", () => {
  expect(judged({ roles: "" }).warnings).toEqual(["runtime.console.roles"]);
});

test("without a listener the keys of the console are not checked", () => {
  const text = "runtime: { console: { url: 'http://console.example.test', client_id: other } }";
  expect(loadConfig({ text, env: {}, readFile: () => "" }).ok).toBe(true);
});
