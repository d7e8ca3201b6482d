import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { at, isMapping, listAt } from "./tree.ts";

const root = join(import.meta.dirname, "../..");
const read = (path: string): string => readFileSync(join(root, path), "utf8");
const parsed = (path: string): unknown => parse(read(path), { merge: true });

/** Lists every default, including disabled protection, as its header states. */
const reference = "config/example.yaml";
const files = globSync(["config/*.yaml", "k8s/**/config.yaml", "deploy/compose/*-config.yaml"], { cwd: root }).filter(
  (file) => file !== reference,
);
const isWhole = (tree: unknown): boolean => isMapping(at(tree, "runtime"));
const whole = files.filter((file) => isWhole(parsed(file)));

test.each(whole)("%s has brute-force protection for all protocols, IPv4 and IPv6", (file) => {
  const controls = at(parsed(file), "auth", "controls");
  expect(listAt(controls, "enabled")).toContain("brute_force");
  expect(listAt(controls, "brute_force", "protocols")).toEqual([]);
  const buckets = listAt(controls, "brute_force", "buckets");
  const lengths = (family: string): readonly unknown[] =>
    buckets.filter((bucket) => at(bucket, family) === true).map((bucket) => at(bucket, "cidr"));
  expect(lengths("ipv4").length).toBeGreaterThan(0);
  expect(lengths("ipv6")).toEqual(expect.arrayContaining([64, 48]));
});

test("the complete examples are among them", () => {
  expect(whole).toEqual(expect.arrayContaining(["config/minimal.yaml", "config/compose.yaml", "k8s/base/config.yaml"]));
});

/** Dovecot's services (docs/connect/dovecot.md), and Postern's own protocols. */
const allProtocols = [
  "imap",
  "pop3",
  "smtp",
  "submission",
  "lmtp",
  "sieve",
  "doveadm",
  "account-provider",
  "oidc",
  "saml",
  "idp",
  "jwt",
];

test("the LDAP searches of complete examples serve every protocol that mail servers and the pages ask with", () => {
  const searches = whole.flatMap((file) =>
    listAt(parsed(file), "auth", "backends", "ldap", "search").map(
      (search) => [file, listAt(search, "protocol")] as const,
    ),
  );
  expect(searches.length).toBeGreaterThan(3);
  expect(searches.filter(([, protocols]) => !allProtocols.every((name) => protocols.includes(name)))).toEqual([]);
});

test("no partial configuration, in a file or a document, disables the protection", () => {
  const parts = files.filter((file) => !whole.includes(file)).map((file) => [file, parsed(file)] as const);
  const documents = globSync(["docs/**/*.md", "*.md"], { cwd: root }).flatMap((file) =>
    [...read(file).matchAll(/^```yaml\n(.*?)^```/gms)].map(([, text = ""]) => [file, parse(text)] as const),
  );
  expect(documents.length).toBeGreaterThan(10);
  const disabling = [...parts, ...documents].filter(([, tree]) => {
    const enabled = listAt(tree, "auth", "controls", "enabled");
    return enabled.length > 0 && !enabled.includes("brute_force");
  });
  expect(disabling.map(([file]) => file)).toEqual([]);
});
