/* oxlint-disable unicorn/no-thenable -- a key of the configuration is named so; it holds no function */
import { freePort, poll } from "@postern/shared/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { askCbor } from "../../support/ask-cbor.ts";
import { alice, askJson } from "../../support/ask-json.ts";
import { askRaw } from "../../support/ask-raw.ts";
import { authMethod, type GrpcClient, grpcClient } from "../../support/grpc-client.ts";
import type { ServiceProcess } from "../../support/service-process.ts";
import { basicAuth, type Stack, startStack } from "../../support/stack.ts";

/** One rule for each kind of message, selected by the protocol. */
const rule = (protocol: string, then: object) => ({
  name: protocol,
  if: { attribute: "request.protocol", eq: protocol },
  then,
});
const i18n = { from: "i18n", i18n_key: "site.moved", fallback: "Moved" };
const policy = {
  policies: [
    rule("imap", { decision: "deny", response_message: i18n }),
    rule("pop3", { decision: "deny", response_message: { from: "literal", text: "POP3 is off" } }),
    rule("smtp", { decision: "tempfail", response_message: i18n, response_language: "de" }),
    rule("sieve", { decision: "deny", response_message: { from: "i18n", i18n_key: "site.none", fallback: "Gone" } }),
    rule("http", { decision: "deny" }),
    rule("lmtp", { decision: "permit", response_message: i18n }),
  ],
  localization: {
    catalogs: [
      { namespace: "site", language: "en", entries: { moved: "Your mailbox moved" } },
      { namespace: "site", language: "de", entries: { moved: "Ihr Postfach ist umgezogen" } },
    ],
  },
};

let stack: Stack;
let grpc: GrpcClient;

beforeAll(async () => {
  const address = `127.0.0.1:${await freePort()}`;
  const servers = { http: { auth_basic_endpoint: true }, grpc: { authority: { enabled: true, address } } };
  stack = await startStack({
    engines: 2,
    settings: {
      runtime: { servers },
      auth: { policy, upstreams: { imap: { address: "192.0.2.1", port: 1143 } } },
    },
  });
  grpc = grpcClient(address);
});

afterAll(async () => {
  grpc[Symbol.dispose]();
  await stack[Symbol.asyncDispose]();
});

interface Said {
  readonly status: number;
  readonly authStatus: string | null | undefined;
  readonly language: string | null | undefined;
  readonly wait: string | null | undefined;
}

type Dialect = "json" | "cbor" | "header" | "proxy" | "sasl" | "basic" | "grpc";

const german = "de-AT, en;q=0.5";

async function byFetch(path: string, init: RequestInit): Promise<Said> {
  const { status, headers } = await fetch(`${stack.url}${path}`, init);
  const [authStatus, language, wait] = ["auth-status", "content-language", "auth-wait"].map((name) =>
    headers.get(name),
  );
  return { status, authStatus, language, wait };
}

function byHeaders(path: string, protocol: string): Promise<Said> {
  const headers = {
    authorization: basicAuth,
    "auth-user": alice.username,
    "auth-pass": alice.password,
    "auth-protocol": protocol,
    "auth-method": "plain",
    "accept-language": german,
  };
  return byFetch(path, { headers, method: path.endsWith("proxy") ? "GET" : "POST" });
}

const asks: Readonly<Record<Dialect, (protocol: string) => Promise<Said>>> = {
  json: (protocol) =>
    byFetch("/api/v1/auth/json", {
      method: "POST",
      headers: { authorization: basicAuth, "content-type": "application/json", "accept-language": german },
      body: JSON.stringify({ ...alice, protocol }),
    }),
  cbor: async (protocol) => {
    const { status, headers } = await askCbor(
      stack.url,
      { ...alice, protocol },
      { headers: { "accept-language": german } },
    );
    const [authStatus, language, wait] = ["auth-status", "content-language", "auth-wait"].map((name) =>
      headers.get(name),
    );
    return { status, authStatus, language, wait };
  },
  header: (protocol) => byHeaders("/api/v1/auth/header", protocol),
  proxy: (protocol) => byHeaders("/api/v1/auth/proxy", protocol),
  sasl: (protocol) =>
    byFetch("/api/v1/auth/sasl", {
      method: "POST",
      headers: { authorization: basicAuth, "accept-language": german },
      body: new URLSearchParams({ username: alice.username, password: alice.password, protocol }),
    }),
  basic: (protocol) =>
    byFetch("/api/v1/auth/basic", {
      headers: {
        authorization: `Basic ${Buffer.from(`${alice.username}:${alice.password}`).toString("base64")}`,
        "auth-protocol": protocol,
        "accept-language": german,
      },
    }),
  grpc: async (protocol) => {
    const { code, metadata } = await grpc.call(
      authMethod("Authenticate"),
      { ...alice, protocol },
      { authorization: basicAuth, acceptLanguage: german },
    );
    const { "auth-status": authStatus, "content-language": language, "auth-wait": wait } = metadata;
    return { status: code, authStatus, language, wait };
  },
};

const moved = "Ihr Postfach ist umgezogen";
const dialects = ["json", "cbor", "header", "proxy", "sasl", "basic", "grpc"] as const;
const answered = {
  fail: { json: 403, cbor: 403, header: 403, proxy: 200, sasl: 403, basic: 403, grpc: 0 },
  tempfail: { json: 500, cbor: 500, header: 500, proxy: 200, sasl: 500, basic: 500, grpc: 0 },
} as const;
/** The dialects that have the header (contract, Auth-Wait). */
const waits = { json: "1", cbor: "1", header: "1", proxy: "1", sasl: null, basic: null, grpc: undefined } as const;

describe.each(dialects)("a policy's message over %s", (dialect) => {
  const ask = asks[dialect];

  test("a message from a catalogue is in the client's language, which Content-Language names", async () => {
    const { status, authStatus, language, wait } = await ask("imap");
    expect([status, authStatus, language]).toEqual([
      answered.fail[dialect],
      dialect === "grpc" ? authStatus : moved,
      "de",
    ]);
    expect(wait).toBe(waits[dialect]);
  });

  test("a message in the rule itself has no language", async () => {
    const { status, authStatus, language } = await ask("pop3");
    expect([status, authStatus, language ?? null]).toEqual([answered.fail[dialect], "POP3 is off", null]);
  });

  test("a message that is in no catalogue is the fallback, without a language", async () => {
    const { authStatus, language } = await ask("sieve");
    expect([authStatus, language ?? null]).toEqual(["Gone", null]);
  });

  test("a temporary failure has a message in the language of the rule", async () => {
    const { status, authStatus, language } = await ask("smtp");
    expect([status, authStatus, language]).toEqual([answered.tempfail[dialect], moved, "de"]);
  });
});

test("without a message a denial is FAIL, and the rendered message over CBOR", async () => {
  for (const dialect of ["json", "header", "proxy", "sasl", "basic", "grpc"] as const) {
    const { authStatus, language } = await asks[dialect]("http");
    expect([dialect, authStatus, language ?? null]).toEqual([dialect, "FAIL", null]);
  }
  expect((await asks.cbor("http")).authStatus).toBe("Invalid login or password");
});

test("a success has no message and no language", async () => {
  const { status, authStatus, language } = await asks.json("lmtp");
  expect([status, authStatus, language]).toEqual([200, "OK", null]);
});

test("without Accept-Language the message is in the default language", async () => {
  const { headers } = await askJson(stack.url, alice, { headers: { "accept-language": "" } });
  expect([headers.get("auth-status"), headers.get("content-language")]).toEqual(["Your mailbox moved", "en"]);
});

test("umlauts are sent as UTF-8, and the header is there once", async () => {
  const { headers } = await askRaw(stack.url, {
    path: "/api/v1/auth/json",
    headers: [
      ["Authorization", basicAuth],
      ["Content-Type", "application/json"],
      ["Accept-Language", "de"],
    ],
    body: JSON.stringify({ ...alice, protocol: "imap" }),
  });
  expect(headers.filter(([name]) => name === "Content-Language")).toEqual([["Content-Language", "de"]]);
});

const reloads = async (engine: ServiceProcess): Promise<number> => {
  const counts = (await engine.metrics()).matchAll(/config_reloads_total\{result="\w+"\} (\d+)/g);
  return [...counts].reduce((sum, [, count]) => sum + Number(count), 0);
};
const reload = async (auth: object): Promise<void> => {
  await stack.writeSettings({ auth });
  for (const engine of stack.engines) {
    const before = await reloads(engine);
    engine.signal("SIGHUP");
    await poll("a reload", async () => (await reloads(engine)) > before);
  }
};

describe("a reload", () => {
  test("observe logs the decision of the rule, and does not apply it", async () => {
    await reload({ policy: { mode: "observe" } });
    const { status, headers } = await askJson(stack.url, alice);
    expect([status, headers.get("auth-status"), headers.get("content-language")]).toEqual([200, "OK", null]);
    const metrics = await Promise.all(stack.engines.map((engine) => engine.metrics()));
    expect(metrics.join("\n")).toMatch(/service_policies_applied_total\{mode="observe",effect="deny"\} 1/);
    await poll("the log line of the rule", () =>
      stack.engines.some((engine) => engine.output().includes("a policy would have applied")),
    );
  });

  test("a rule with an unknown fact is rejected, and the old rules stay in force", async () => {
    const wrong = { name: "w", if: { attribute: "request.protocl", eq: "imap" }, then: { decision: "deny" } };
    await reload({ policy: { policies: [wrong] } });
    expect((await askJson(stack.url, alice)).status).toBe(200);
    await reload({});
    expect((await askJson(stack.url, alice)).status).toBe(403);
  });
});
