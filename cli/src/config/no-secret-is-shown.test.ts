import { loadConfig, redactConfig, redacted, schemaTree } from "@postern/shared/platform/config";
import {
  formatPath,
  type LeafNode,
  type SchemaNode,
  type SectionNode,
  valueLeaves,
} from "@postern/shared/platform/config/tree";
import { describe, expect, test } from "vitest";
import { stringify } from "yaml";
import { dumpConfig } from "./dump.ts";
import { explainKey } from "./explain.ts";

/** A file with an entry in each list and map, and a distinct canary in each secret. */
function canaryTree(node: SchemaNode, canary: () => string): unknown {
  if (node.kind === "leaf") return leafValue(node, canary);
  if (node.kind === "list") return [sectionTree(node.entry, canary)];
  if (node.kind !== "section") return { some: sectionTree(node.entry, canary) };
  return sectionTree(node, canary);
}

function sectionTree(node: SectionNode, canary: () => string): unknown {
  return Object.fromEntries([...node.children].map(([name, child]) => [name, canaryTree(child, canary)]));
}

function leafValue(node: LeafNode, canary: () => string): unknown {
  if (node.form === "password-hash") return `$5$${canary()}$${"x".repeat(43)}`;
  if (node.secret) return canary();
  if (node.form === "ldap-url") return ["ldaps://h"];
  if (node.form === "redis-url") return `redis://u:${canary()}@h:1/0`;
  if (node.form === "nats-url") return [`nats://${canary()}@h:1`];
  return node.example ?? null;
}

function loadWithCanaries() {
  const canaries: string[] = [];
  const canary = () => {
    canaries.push(`canary-${canaries.length}-${"x".repeat(32)}`);
    return canaries.at(-1) ?? "";
  };
  const tree = canaryTree(schemaTree, canary);
  const env = {
    SERVICE_AUTH_BACKCHANNEL_CALLERS_0_NAME: "mail-server",
    SERVICE_AUTH_BACKENDS_SQL_DEFAULT_FILE: "f",
    SERVICE_IDENTITY_MAIL_CLIENTS_DOMAINS_0_IMAP_HOST: "h",
    SERVICE_IDENTITY_MAIL_CLIENTS_DOMAINS_0_SMTP_HOST: "h",
    SERVICE_RUNTIME_BUS_USERNAME: "u",
    SERVICE_RUNTIME_BUS_TOKEN: "",
    SERVICE_RUNTIME_SERVERS_HTTP_DOMAIN_LISTENERS_0_ADDRESS: "127.0.0.1:1",
    SERVICE_RUNTIME_SERVERS_HTTP_DOMAIN_LISTENERS_0_DEFAULT_DOMAIN: "a.example",
    SERVICE_RUNTIME_REGIONS_BUS_USERNAME: "u",
    SERVICE_RUNTIME_REGIONS_BUS_TOKEN: "",
    SERVICE_AUTH_BACKENDS_LDAP_DEFAULT_BIND_DN: "cn=x",
    SERVICE_AUTH_BACKENDS_LDAP_POOLS_SOME_BIND_DN: "cn=x",
  };
  const result = loadConfig({ text: stringify(tree), env, readFile: () => "" });
  if (!result.ok) throw new Error(JSON.stringify(result.problems));
  return { ...result, canaries };
}

describe("no secret of the schema is shown", () => {
  const { config, sources, warnings, canaries } = loadWithCanaries();

  test("the configuration itself contains the canaries, so that the tests below can fail", () => {
    const text = JSON.stringify(config);
    expect(canaries.length).toBeGreaterThan(20);
    expect(canaries.filter((canary) => !text.includes(canary))).toHaveLength(2);
  });

  test("in a redacted configuration", () => {
    expect(JSON.stringify(redactConfig(config))).not.toContain("canary");
    expect(redactConfig(config)).toMatchObject({ storage: { redis: { password_nonce: redacted } } });
  });

  test("in a dump", () => {
    expect(dumpConfig(config).join("\n")).not.toContain("canary");
  });

  test("in warnings", () => {
    expect(JSON.stringify(warnings)).not.toContain("canary");
  });

  test("in explanations", () => {
    const paths = valueLeaves(schemaTree, config).map(({ path }) => formatPath(path));
    const explanations = paths.map((path) => explainKey(path, { config, sources }));
    expect(explanations.every(({ kind }) => kind === "key")).toBe(true);
    expect(JSON.stringify(explanations)).not.toContain("canary");
  });
});

test("a key that only names a secret is shown", () => {
  const { config } = loadWithCanaries();
  expect(redactConfig(config)).toMatchObject({ auth: { request: { headers: { password: "Auth-Pass" } } } });
});
