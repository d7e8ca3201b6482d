import { Secret } from "@postern/shared/platform/crypto";
import { type Slapd, spawnSlapd } from "@postern/testing";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { LdapBackend } from "../../../services/auth-engine/src/backends/ldap/ldap-backend.ts";
import { ask, exampleDirectory, exampleLdif, within } from "./example-directory.ts";

/** The searches of one turn of the event loop leave a connection together. */
const many = 40;
const uidOf = (index: number): string => `gathered${index}`;
const people = Array.from(
  { length: many },
  (_, index) => `dn: uid=${uidOf(index)},ou=people,dc=example,dc=test
objectClass: inetOrgPerson
uid: ${uidOf(index)}
cn: ${uidOf(index)}
sn: ${uidOf(index)}
userPassword: ${uidOf(index)}-password
`,
).join("\n");

const patientMs = 60_000;
const patient = { searchTimeoutMs: patientMs, bindTimeoutMs: patientMs, connectTimeoutMs: patientMs };

let stack: AsyncDisposableStack;
let slapd: Slapd;
let backend: LdapBackend;

beforeEach(async () => {
  stack = new AsyncDisposableStack();
  slapd = stack.use(await spawnSlapd({ ldif: `${exampleLdif}\n${people}` }));
  // One connection, so that all searches share it.
  backend = exampleDirectory([slapd.uri], { ...patient, lookupPoolSize: 1, healthCheckIntervalMs: patientMs });
  stack.defer(() => backend.close());
  await backend.lookup(ask(uidOf(0)), within(patientMs));
});

afterEach(() => stack.disposeAsync());

const lookups = () =>
  Promise.allSettled(Array.from({ length: many }, (_, index) => backend.lookup(ask(uidOf(index)), within(patientMs))));

const unavailable = { status: "rejected", reason: { code: "DIRECTORY_UNAVAILABLE" } };

test("each search is answered by its own entry, in whatever order slapd answers", async () => {
  for (let round = 0; round < 5; round += 1) {
    const found = await lookups();
    expect(found).toMatchObject(
      found.map((_, index) => ({ status: "fulfilled", value: { kind: "ok", account: { account: uidOf(index) } } })),
    );
  }
});

test("if the connection ends while searches are gathered, each of them is undecided, never an unknown user", async () => {
  const pending = lookups();
  // In the same turn: nothing has been written yet.
  slapd.signal("SIGKILL");
  const found = await pending;
  expect(found).toMatchObject(found.map(() => unavailable));
});

test("if the connection ends after they were sent and before they are answered, each is undecided too", async () => {
  await slapd.pause();
  const pending = lookups();
  await new Promise((resolve) => setImmediate(resolve));
  await slapd.kill();
  const found = await pending;
  expect(found).toMatchObject(found.map(() => unavailable));
});

test("if the connection ends among answers, each search has its own entry or is undecided", async () => {
  const password = new Secret(`${uidOf(1)}-password`);
  const login = backend.verify(ask(uidOf(1)), password, within(patientMs)).catch((error: unknown) => error);
  const pending = [lookups(), lookups(), lookups()];
  await login;
  slapd.signal("SIGKILL");
  for (const found of await Promise.all(pending)) {
    for (const [index, one] of found.entries()) {
      if (one.status === "rejected") expect(one).toMatchObject(unavailable);
      else expect(one.value).toMatchObject({ kind: "ok", account: { account: uidOf(index) } });
    }
  }
});
