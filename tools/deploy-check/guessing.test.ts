import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { checkFragment, checkGuessing } from "./guessing.ts";
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

test("every complete example configuration has brute-force protection", () => {
  expect(whole).toEqual(expect.arrayContaining(["config/minimal.yaml", "config/compose.yaml", "k8s/base/config.yaml"]));
  expect(whole.flatMap((file) => checkGuessing(file, parsed(file)))).toEqual([]);
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
  expect([...parts, ...documents].flatMap(([file, tree]) => checkFragment(file, tree))).toEqual([]);
});

test.each<[string, (controls: Record<string, unknown>) => void]>([
  ["auth.controls.enabled names brute_force", (controls) => Reflect.set(controls, "enabled", ["rbl"])],
  ["a rule is for IPv4", (controls) => Reflect.set(controls, "brute_force", { buckets: [] })],
  [
    "a wider rule is for IPv6",
    (controls) => Reflect.set(controls, "brute_force", { buckets: [{ cidr: 64, ipv6: true }] }),
  ],
  ["all protocols", (controls) => Reflect.set(controls, "brute_force", { protocols: ["imap"] })],
])("a planted fault is found: %s", (rule, damage) => {
  const tree = parsed("config/minimal.yaml");
  const controls = at(tree, "auth", "controls");
  if (!isMapping(controls)) throw new Error("no controls");
  damage(controls);
  expect(checkGuessing("planted", tree).join("\n")).toContain(rule);
});

test("a planted list of controls without it is found", () => {
  expect(checkFragment("planted", { auth: { controls: { enabled: ["rbl"] } } })).toHaveLength(1);
});
