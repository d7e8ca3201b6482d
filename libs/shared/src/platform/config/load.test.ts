import { describe, expect, test } from "vitest";
import { type LoadOptions, loadConfig } from "./load.ts";
import { formatProblem } from "./problem.ts";

function load(text: string, options: Partial<LoadOptions> = {}) {
  return loadConfig({ text, env: {}, readFile: () => "", ...options });
}

function configOf(text: string, options: Partial<LoadOptions> = {}) {
  const result = load(text, options);
  if (!result.ok) throw new Error(result.problems.map(formatProblem).join("\n"));
  return result.config;
}

function problemsOf(text: string, options: Partial<LoadOptions> = {}): readonly string[] {
  const result = load(text, options);
  return result.ok ? [] : result.problems.map(formatProblem);
}

function warningsOf(text: string, options: Partial<LoadOptions> = {}): readonly string[] {
  return load(text, options).warnings.map(({ path }) => path);
}

function readSecret(path: string): string {
  if (path === "/run/secret") return "a-secret-from-a-file\n";
  throw new Error("ENOENT");
}

describe("precedence", () => {
  const text = "runtime: { instance_name: file, timeouts: { decision: 1m30s } }";

  test("a missing section has its defaults", () => {
    const config = configOf("");
    expect(config.auth.pipeline.wait_delay).toBe(10);
    expect(config.auth.request.headers.username).toBe("Auth-User");
    expect(config.storage.redis.prefix).toBe("postern:");
    expect(config.auth.backchannel.basic_auth.enabled).toBe(false);
  });

  test("the file takes precedence over the default", () => {
    expect(configOf(text).runtime.instance_name).toBe("file");
    expect(configOf(text).runtime.timeouts.decision).toBe(90_000);
  });

  test("the environment takes precedence over the file", () => {
    const env = { SERVICE_RUNTIME_INSTANCE_NAME: "environment" };
    expect(configOf(text, { env }).runtime.instance_name).toBe("environment");
  });

  test("the environment overrides entries of lists and maps that the file contains", () => {
    const entries = "auth: { backends: { ldap: { pools: { mail-in: { server_uri: ldap://a } } } } }";
    const env = { SERVICE_AUTH_BACKENDS_LDAP_POOLS_MAIL_IN_SERVER_URI: "ldap://b, ldap://c" };
    expect(configOf(entries, { env }).auth.backends.ldap.pools["mail-in"]?.server_uri).toEqual([
      "ldap://b",
      "ldap://c",
    ]);
  });

  test("two names with the same variable are rejected", () => {
    const pools =
      "auth: { backends: { ldap: { pools: { a-b: { server_uri: ldap://a }, a_B: { server_uri: ldap://b } } } } }";
    expect(problemsOf(pools)).toEqual([
      "auth.backends.ldap.pools.a_B: differs from another name only in case or in - and _, so both have the same environment variable",
    ]);
  });

  test("an empty text unsets keys that may be unset", () => {
    const text = "runtime: { services: { gateway: { private_address: '' } }, instance_name: '' }";
    expect(problemsOf(text)).toEqual(["runtime.instance_name: must not be empty"]);
  });

  test("null means not set", () => {
    expect(configOf("runtime:\n  instance_name:\n  timeouts:\n").runtime.instance_name).toBe("postern");
  });

  test("a loaded configuration is immutable", () => {
    expect(Object.isFrozen(configOf("").runtime.servers.http.address)).toBe(true);
  });
});

describe("keys", () => {
  test("an unknown key is rejected with its path and the nearest name", () => {
    expect(problemsOf("runtime: { servers: { http: { adress: x } } }")).toEqual([
      "runtime.servers.http.adress: is not a known key (did you mean address?)",
    ]);
  });

  test("an unknown root is rejected", () => {
    expect(problemsOf("storrage: {}")).toEqual(["storrage: is not a known key (did you mean storage?)"]);
  });

  test("a similar accepted key is suggested too", () => {
    expect(problemsOf("identity: { odic: {} }")).toEqual(["identity.odic: is not a known key (did you mean oidc?)"]);
  });

  test("a key of the compatible product's tree loads with one warning", () => {
    const text = "auth: { backends: { remote: { enabled: [a], targets: [{ host: a }] } } }";
    expect(problemsOf(text)).toEqual([]);
    expect(warningsOf(text).filter((path) => path.startsWith("auth.backends.remote"))).toEqual([
      "auth.backends.remote",
    ]);
  });

  test("an older name of a key sets the current one", () => {
    const text = "runtime: { servers: { http: { disabled_endpoints: { auth_nginx: true } } } }";
    expect(configOf(text).runtime.servers.http.disabled_endpoints.auth_proxy).toBe(true);
    expect(warningsOf(text)).toContain("runtime.servers.http.disabled_endpoints.auth_nginx");
  });

  test("an older name together with the current one is rejected", () => {
    const text = "developer_mode: true\nruntime: { developer_mode: false }";
    expect(problemsOf(text)).toEqual([
      "developer_mode: sets runtime.developer_mode, which is also set; remove one of them",
    ]);
  });

  test("x- roots contain anchors and are ignored", () => {
    const text =
      "x-limits: ['${NOT_SET}']\nx-a: &a { per_second: 5 }\nruntime: { servers: { http: { rate_limit: { <<: *a, burst: 7 } } } }";
    expect(configOf(text).runtime.servers.http.rate_limit).toMatchObject({ per_second: 5, burst: 7 });
  });

  test("a repeated key is rejected", () => {
    expect(problemsOf("runtime: {}\nruntime: {}")).toEqual(["configuration:2:1: is not valid YAML: duplicate key"]);
  });
});

describe("problems", () => {
  test("all problems are reported together, sorted by path", () => {
    const text = `
storage: { redis: { prefix: "a b" } }
runtime: { timeouts: { decision: 5 }, servers: { http: { trusted_proxies: [localhost], address: ":80" } } }
auth: { pipeline: { max_login_attempts: -1 }, backends: { sql: { search: [{}] } } }
`;
    expect(problemsOf(text).map((line) => line.slice(0, line.indexOf(": ")))).toEqual([
      "auth.backends.sql.default.file",
      "auth.backends.sql.search[0].cache_name",
      "auth.backends.sql.search[0].mapping.account_field",
      "auth.backends.sql.search[0].protocol",
      "auth.backends.sql.search[0].queries.user",
      "auth.pipeline.max_login_attempts",
      "runtime.servers.http.address",
      "runtime.servers.http.trusted_proxies",
      "runtime.timeouts.decision",
      "storage.redis.prefix",
    ]);
  });

  test("no problem repeats a value", () => {
    const text = "auth: { backchannel: { basic_auth: { enabled: perhaps-hunter2, password: hunter2 } } }";
    expect(problemsOf(text).join()).not.toContain("hunter2");
    expect(problemsOf(text)).toHaveLength(2);
  });

  test("a syntax problem of the file does not repeat one either", () => {
    const texts = [
      "password: *hunter2",
      "a: b\n hunter2: x",
      "'hunter2",
      "{hunter2",
      "a: 1\nhunter2",
      "!hunter2 x: %y",
    ];
    const problems = texts.flatMap((text) => problemsOf(text));
    expect(problems.filter((line) => line.includes("is not valid YAML"))).not.toEqual([]);
    expect(problems.filter((line) => !line.startsWith("hunter2:")).join()).not.toContain("hunter2");
  });

  test("a number in place of a text suggests quotes", () => {
    expect(problemsOf("runtime: { bus: { username: 0123 } }")).toEqual([
      "runtime.bus.username: must be a string (put it in quotes)",
    ]);
  });

  test("a file that cannot be read is a problem, not an exception", () => {
    expect(problemsOf("", { text: undefined, file: "/none.yaml", readFile: readSecret })).toEqual([
      "/none.yaml: cannot be read; check the path and the permissions",
    ]);
  });

  test("an unknown variable causes a warning with the nearest name", () => {
    const env = { SERVICE_RUNTIME_INSTANCE_NAM: "x", OTHER: "y", SERVICE_IDENTITY_FRONTEND_ENCRYPTION_SECRET: "z" };
    const warnings = load("", { env }).warnings.map(formatProblem);
    expect(warnings).toContain(
      "SERVICE_RUNTIME_INSTANCE_NAM: does not match any key (did you mean SERVICE_RUNTIME_INSTANCE_NAME?)",
    );
    expect(warnings).toContain("SERVICE_IDENTITY_FRONTEND_ENCRYPTION_SECRET: has no effect in this version");
    expect(warnings.join()).not.toContain("OTHER");
  });
});

describe("secrets", () => {
  const fromFile = "storage: { redis: { password_nonce: { file: /run/secret } } }";

  test("a secret may be read from a file named in the configuration; one final newline is removed", () => {
    expect(configOf(fromFile, { readFile: readSecret }).storage.redis.password_nonce).toBe("a-secret-from-a-file");
  });

  test("a secret may be read from a file named in the environment", () => {
    const env = { SERVICE_STORAGE_REDIS_PASSWORD_NONCE_FILE: "/run/secret" };
    expect(configOf("", { env, readFile: readSecret }).storage.redis.password_nonce).toBe("a-secret-from-a-file");
  });

  test("a missing secret file is a problem", () => {
    const env = { SERVICE_STORAGE_REDIS_PASSWORD_NONCE_FILE: "/none" };
    expect(problemsOf("", { env, readFile: readSecret })).toEqual([
      "storage.redis.password_nonce: refers to the file /none, which cannot be read",
    ]);
  });

  test("a check without secrets needs neither their files nor their variables", () => {
    const text = `
auth: { backchannel: { basic_auth: { enabled: true, username: u, password: { file: /none } } } }
storage: { redis: { encryption_secret: "\${NOT_SET}" } }
`;
    expect(problemsOf(text, { readFile: readSecret, skipSecretFiles: true })).toEqual([]);
    expect(problemsOf(text, { readFile: readSecret })).toHaveLength(2);
  });

  test("both the value and the file of one secret are rejected", () => {
    const env = { SERVICE_RUNTIME_BUS_TOKEN: "a", SERVICE_RUNTIME_BUS_TOKEN_FILE: "/run/secret" };
    expect(problemsOf("", { env, readFile: readSecret })).toHaveLength(1);
  });

  test("a key that is not a secret cannot be read from a file", () => {
    expect(problemsOf("runtime: { instance_name: { file: /run/secret } }", { readFile: readSecret })).toHaveLength(1);
  });
});

describe("keys that follow others", () => {
  test("timeouts of a pool follow runtime.timeouts until they are set", () => {
    const text = `
runtime: { timeouts: { ldap_search: 7s, ldap_bind: 8s } }
auth: { backends: { ldap: { default: { bind_timeout: 1s } } } }
`;
    const pool = configOf(text).auth.backends.ldap.default;
    expect([pool.search_timeout, pool.bind_timeout, pool.modify_timeout]).toEqual([7000, 1000, 5000]);
  });

  test("Redis roles without a server use the shared connection", () => {
    const text = `
storage:
  redis:
    primary: { address: "redis.test:6380", username: u, password: shared }
    database_number: 3
    tls: { enabled: true }
    roles:
      queue: { url: "redis://queue.test:6379/1" }
      cache: { password: own }
`;
    const { state, queue, cache } = configOf(text).storage.redis.roles;
    expect(state).toMatchObject({ url: "rediss://redis.test:6380/3", username: "u", password: "shared" });
    expect(state.tls.enabled).toBe(true);
    expect(queue).toMatchObject({ url: "redis://queue.test:6379/1", username: "", password: "" });
    expect(queue.tls.enabled).toBe(false);
    expect(cache).toMatchObject({ url: "rediss://redis.test:6380/3", password: "own" });
  });

  test("a shared Sentinel serves every role", () => {
    const text = "storage: { redis: { sentinels: { master: m, addresses: ['a:26379'] } } }";
    expect(configOf(text).storage.redis.roles.queue.sentinels).toMatchObject({ master: "m", addresses: ["a:26379"] });
  });
});
