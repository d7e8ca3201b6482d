/* oxlint-disable unicorn/no-thenable -- a key of the configuration is named so; it holds no function */
import { freePort, poll } from "@postern/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { alice, askJson } from "../../support/ask-json.ts";
import { askDialect, type Dialect, dialects, statusesOf } from "../../support/dialects.ts";
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
  readonly authStatus: string | undefined;
  readonly language: string | undefined;
  readonly wait: string | undefined;
}

const german = "de-AT, en;q=0.5";

async function byGrpc(protocol: string): Promise<Said> {
  const options = { authorization: basicAuth, acceptLanguage: german };
  const { code, metadata } = await grpc.call(authMethod("Authenticate"), { ...alice, protocol }, options);
  const { "auth-status": authStatus, "content-language": language, "auth-wait": wait } = metadata;
  return { status: code, authStatus, language, wait };
}

async function ask(dialect: Dialect | "grpc", protocol: string): Promise<Said> {
  if (dialect === "grpc") return byGrpc(protocol);
  const { status, header } = await askDialect(stack.url, dialect, { protocol, headers: [["Accept-Language", german]] });
  const [authStatus, language, wait] = ["Auth-Status", "Content-Language", "Auth-Wait"].map(header);
  return { status, authStatus, language, wait };
}

const moved = "Ihr Postfach ist umgezogen";
/** Statuses of gRPC are those of the call. */
const statuses = (dialect: Dialect | "grpc") =>
  dialect === "grpc" ? { denial: 0, temporary: 0 } : statusesOf(dialect);
/** The dialects that have the header (contract, Auth-Wait). */
const withWait: ReadonlySet<string> = new Set(["json", "form", "cbor", "header", "proxy"]);

describe.each([...dialects, "grpc"] as const)("a policy's message over %s", (dialect) => {
  test("a message from a catalogue is in the client's language, which Content-Language names", async () => {
    const { status, authStatus, language, wait } = await ask(dialect, "imap");
    expect([status, authStatus, language]).toEqual([
      statuses(dialect).denial,
      dialect === "grpc" ? authStatus : moved,
      "de",
    ]);
    expect(wait).toBe(withWait.has(dialect) ? "1" : undefined);
  });

  test("a message in the rule itself has no language", async () => {
    const { status, authStatus, language } = await ask(dialect, "pop3");
    expect([status, authStatus, language]).toEqual([statuses(dialect).denial, "POP3 is off", undefined]);
  });

  test("a message that is in no catalogue is the fallback, without a language", async () => {
    const { authStatus, language } = await ask(dialect, "sieve");
    expect([authStatus, language]).toEqual(["Gone", undefined]);
  });

  test("a temporary failure has a message in the language of the rule", async () => {
    const { status, authStatus, language } = await ask(dialect, "smtp");
    expect([status, authStatus, language]).toEqual([statuses(dialect).temporary, moved, "de"]);
  });
});

test("without a message a denial is FAIL, and the rendered message over CBOR", async () => {
  for (const dialect of ["json", "form", "header", "proxy", "sasl", "basic", "grpc"] as const) {
    const { authStatus, language } = await ask(dialect, "http");
    expect([dialect, authStatus, language]).toEqual([dialect, "FAIL", undefined]);
  }
  expect((await ask("cbor", "http")).authStatus).toBe("Invalid login or password");
});

test("a success has no message and no language", async () => {
  const { status, authStatus, language } = await ask("json", "lmtp");
  expect([status, authStatus, language]).toEqual([200, "OK", undefined]);
});

test("without Accept-Language the message is in the default language", async () => {
  const { headers } = await askJson(stack.url, alice, { headers: { "accept-language": "" } });
  expect([headers.get("auth-status"), headers.get("content-language")]).toEqual(["Your mailbox moved", "en"]);
});

test("umlauts are sent as UTF-8, and the header is there once", async () => {
  const { headers } = await askDialect(stack.url, "json", { headers: [["Accept-Language", "de"]] });
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
