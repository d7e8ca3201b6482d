import { describe, expect, test } from "vitest";
import { loadConfig } from "../load.ts";

const valid = {
  url: ["https://central.example.test/api/v1/auth/json"],
  basic: { username: "edge", password: "secret" },
};

const lines = (list: readonly { readonly path: string; readonly reason: string }[]) =>
  list.filter(({ path }) => path.startsWith("auth.backends")).map(({ path, reason }) => `${path}: ${reason}`);

function reportsOf(pool: object, more: { readonly order?: readonly string[]; readonly tree?: object } = {}) {
  const { order = ["http"], tree = {} } = more;
  const backends = { order, http: { default: pool } };
  const text = JSON.stringify({ ...tree, auth: { backends } });
  const result = loadConfig({ text, env: {}, readFile: () => "" });
  return { problems: result.ok ? [] : lines(result.problems), warnings: lines(result.warnings) };
}

test("a server with credentials is accepted", () => {
  expect(reportsOf(valid)).toEqual({ problems: [], warnings: [] });
});

test.each([
  ["no address", { ...valid, url: [] }, "auth.backends.http.default.url: "],
  ["no URL", { ...valid, url: ["central"] }, "auth.backends.http.default.url[0]: must be"],
  ["a password in the URL", { ...valid, url: ["https://a:b@central.example.test/"] }, "url[0]: must be"],
  ["a mode", { ...valid, url: ["https://central.example.test/?mode=no-auth"] }, "url[0]: must not contain mode"],
  ["its own listener", { ...valid, url: ["http://localhost:8080/api/v1/auth/json"] }, "url[0]: is a listener of this"],
  ["two credentials", { ...valid, bearer_token: "x" }, "default: must have only one of"],
  ["half of Basic", { ...valid, basic: { username: "edge" } }, "basic.password: "],
  [
    "half of OAuth",
    { url: valid.url, oauth: { token_url: "https://a.test/", client_id: "a" } },
    "oauth.client_secret: ",
  ],
  ["a key without its certificate", { ...valid, tls_client_key: "key.pem" }, "default.tls_client_key: requires"],
])("%s is rejected", (_what, pool, expected) => {
  const tree = { runtime: { servers: { http: { address: ["127.0.0.1:8080"] } } } };
  expect(reportsOf(pool, { tree }).problems.join("\n")).toContain(expected);
});

test("an unknown pool is rejected", () => {
  expect(reportsOf(valid, { order: ["http(other)"] }).problems.join("\n")).toContain("order[0]");
});

test.each([
  ["plain HTTP to another machine", { ...valid, url: ["http://central.example.test/auth"] }, "read passwords"],
  ["no credentials", { url: valid.url }, "accepts anyone"],
  ["a timeout above that of the decision", { ...valid, request_timeout: "5s" }, "request_timeout: is not below"],
])("%s is warned about", (_what, pool, expected) => {
  const { problems, warnings } = reportsOf(pool);
  expect(problems).toEqual([]);
  expect(warnings.join("\n")).toContain(expected);
});

describe("with the sign-in pages", () => {
  const tree = { identity: { frontend: { enabled: true } } };

  test("it is refused as the only backend, because second factors do not travel", () => {
    expect(reportsOf(valid, { tree }).problems.join("\n")).toMatch(
      /order: contains only http backends.*second factors/u,
    );
  });

  test("beside another backend, a warning names who cannot use them", () => {
    const { problems, warnings } = reportsOf(valid, { tree, order: ["http", "lua"] });
    expect(problems.join("\n")).not.toContain("second factors");
    expect(warnings.join("\n")).toContain("its users are unknown on the sign-in pages");
  });
});

test("the backend of another product says where it moved", () => {
  const text = "auth: { backends: { remote: { far: { authority: a } } } }";
  const { warnings } = loadConfig({ text, env: {}, readFile: () => "" });
  const moved = warnings.find(({ path }) => path === "auth.backends.remote");
  expect(moved?.reason).toContain("auth.backends.http");
});
