import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { Secret } from "@postern/shared/platform/crypto";
import { freePort, poll, type Slapd, spawnSlapd } from "@postern/testing";
import { Attribute, Change, Client } from "ldapts";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { LdapBackend } from "../../../services/auth-engine/src/backends/ldap/ldap-backend.ts";
import { ask, exampleDirectory, exampleLdif, within } from "./example-directory.ts";

const unavailable = { code: "DIRECTORY_UNAVAILABLE" };
const right = new Secret("alice-password");

/** Longer than a test may take: a test that ends earlier did not wait for it. */
const neverMs = 600_000;
const patient = { searchTimeoutMs: neverMs, bindTimeoutMs: neverMs, connectTimeoutMs: neverMs };

function verify(backend: LdapBackend, deadlineMs = neverMs) {
  return backend.verify(ask("alice"), right, within(deadlineMs));
}

async function recovers(backend: LdapBackend): Promise<void> {
  await poll("a login after the outage", async () => {
    const outcome = await verify(backend).catch(() => undefined);
    if (outcome === undefined) return false;
    expect(outcome).toMatchObject({ kind: "ok" });
    return true;
  });
}

describe("an LDAP directory in an outage", () => {
  let stack: AsyncDisposableStack;
  let slapd: Slapd;

  const use = (backend: LdapBackend): LdapBackend => {
    stack.defer(() => backend.close());
    return backend;
  };

  beforeEach(async () => {
    stack = new AsyncDisposableStack();
    slapd = stack.use(await spawnSlapd({ ldif: exampleLdif }));
  });
  afterEach(() => stack.disposeAsync());

  it("reports a temporary failure before its timeouts while its server is stopped, and recovers", async () => {
    const backend = use(exampleDirectory([slapd.uri], patient));
    expect(await verify(backend)).toMatchObject({ kind: "ok" });
    await slapd.kill();
    for (let round = 0; round < 8; round += 1) {
      await expect(verify(backend)).rejects.toMatchObject(unavailable);
    }
    await expect(backend.check(within(1000))).rejects.toMatchObject(unavailable);
    expect(backend.snapshot()["default"]?.servers).toMatchObject([{ breaker: "open" }]);
    await slapd.start();
    await recovers(backend);
    expect(backend.snapshot()["default"]?.servers).toMatchObject([{ breaker: "closed", inFlight: 0 }]);
  });

  it("starts while its server is unavailable", async () => {
    await slapd.kill();
    const backend = use(exampleDirectory([slapd.uri]));
    await expect(verify(backend)).rejects.toMatchObject(unavailable);
    await slapd.start();
    await recovers(backend);
  });

  it("continues after a restart of the server between two requests", async () => {
    const backend = use(exampleDirectory([slapd.uri]));
    expect(await verify(backend)).toMatchObject({ kind: "ok" });
    await slapd.stop();
    await slapd.start();
    expect(await verify(backend)).toMatchObject({ kind: "ok" });
  });

  it("is limited by its timeouts while its server hangs, and recovers", async () => {
    const backend = use(exampleDirectory([slapd.uri]));
    expect(await verify(backend)).toMatchObject({ kind: "ok" });
    await slapd.pause();
    const hung = Array.from({ length: 20 }, () => verify(backend));
    for (const result of await Promise.allSettled(hung)) {
      expect(result).toMatchObject({ status: "rejected", reason: unavailable });
    }
    slapd.resume();
    await recovers(backend);
  });

  it("respects a deadline that is shorter than its timeouts, and an abort", async () => {
    const backend = use(exampleDirectory([slapd.uri], patient));
    expect(await verify(backend)).toMatchObject({ kind: "ok" });
    await slapd.pause();
    await expect(verify(backend, 100)).rejects.toMatchObject({ code: "DEADLINE_EXCEEDED" });

    const controller = new AbortController();
    const aborted = backend.lookup(ask("alice"), within(neverMs, controller.signal));
    controller.abort();
    await expect(aborted).rejects.toMatchObject({ code: "REQUEST_ABORTED" });
    await expect(verify(backend, -1)).rejects.toMatchObject({ code: "DEADLINE_EXCEEDED" });
    slapd.resume();
    await recovers(backend);
  });

  it("sheds requests while its queue is full, and loses no request in the queue", async () => {
    const backend = use(
      exampleDirectory([slapd.uri], {
        authPoolSize: 1,
        authQueueLength: 2,
        bindTimeoutMs: neverMs,
        healthCheckIntervalMs: 60_000,
      }),
    );
    expect(await verify(backend)).toMatchObject({ kind: "ok" });
    await slapd.pause();
    const spend = () => backend.spendVerification(ask("nobody"), right, within(neverMs));
    const inFlight = spend();
    const waiting = [spend(), spend()];
    await expect(spend()).rejects.toMatchObject({ code: "DIRECTORY_OVERLOADED" });
    expect(backend.snapshot()["default"]?.bind).toMatchObject({ connections: 1, inFlight: 1, waiting: 2 });
    slapd.resume();
    await expect(Promise.all([inFlight, ...waiting])).resolves.toHaveLength(3);
  });

  it("distinguishes a rejected service account from a wrong password, and does not retry it until it is locked", async () => {
    const backend = use(
      exampleDirectory([slapd.uri], { bindPassword: new Secret("outdated"), healthCheckIntervalMs: 50 }),
    );
    for (let round = 0; round < 20; round += 1) {
      await expect(verify(backend)).rejects.toMatchObject(unavailable);
    }
    await expect(backend.lookup(ask("alice"), within(1000))).rejects.toThrow(/service account refused/);
    await poll("slapd's log of the rejection", () => slapd.output().includes("err=49"));
    expect(slapd.output().match(/err=49/g)).toHaveLength(1);
  });

  it("continues to use its open connections after the service account's password was changed", async () => {
    const backend = use(exampleDirectory([slapd.uri], { healthCheckIntervalMs: 20 }));
    expect(await verify(backend)).toMatchObject({ kind: "ok" });
    const administrator = new Client({ url: slapd.uri, timeout: 2000, connectTimeout: 2000 });
    await administrator.bind(slapd.rootDn, slapd.rootPassword);
    const modification = new Attribute({ type: "userPassword", values: ["another"] });
    await administrator.modify("cn=reader,dc=example,dc=test", new Change({ operation: "replace", modification }));
    await administrator.unbind();
    await poll("a rejected health check", () => /RESULT tag=97 err=49/.test(slapd.output()));
    const outcomes = await Promise.all(Array.from({ length: 40 }, () => verify(backend)));
    expect(new Set(outcomes.map(({ kind }) => kind))).toEqual(new Set(["ok"]));
    expect(slapd.output().match(/RESULT tag=97 err=49/g)?.length).toBeLessThanOrEqual(2);
  });

  it("treats a search base that does not exist as a mistake, and one made of the user's name as an unknown user", async () => {
    const fixed = use(exampleDirectory([slapd.uri], {}, { baseDn: "ou=nowhere,dc=example,dc=test" }));
    await expect(verify(fixed)).rejects.toMatchObject(unavailable);
    const perDomain = use(
      exampleDirectory([slapd.uri], {}, { baseDn: "ou=%{domain},dc=example,dc=test", userFilter: "(uid=%{username})" }),
    );
    const lookup = (name: string) => perDomain.lookup(ask(name), within(3000));
    expect(await lookup("alice@people")).toMatchObject({ kind: "ok", account: { account: "alice" } });
    expect(await lookup("alice@nowhere")).toEqual({ kind: "unknown_user" });
    expect(await lookup("alice@people,ou=people")).toEqual({ kind: "unknown_user" });
  });

  it("is limited by its timeouts if a server never answers", async () => {
    const sockets = new Set<{ destroy(): void }>();
    const blackHole = createServer((socket) => void sockets.add(socket));
    blackHole.listen(0, "127.0.0.1");
    await once(blackHole, "listening");
    stack.defer(() => {
      for (const socket of sockets) socket.destroy();
      blackHole.close();
    });
    const address: AddressInfo | string | null = blackHole.address();
    if (address === null || typeof address === "string") throw new Error("no TCP address");
    const backend = use(exampleDirectory([`ldap://127.0.0.1:${address.port}`]));
    const results = await Promise.allSettled(Array.from({ length: 30 }, () => verify(backend)));
    for (const result of results) expect(result).toMatchObject({ status: "rejected", reason: unavailable });
  });

  it("uses another server if one is not available at all", async () => {
    const backend = use(exampleDirectory([`ldap://127.0.0.1:${await freePort()}`, slapd.uri], { lookupPoolSize: 1 }));
    for (let round = 0; round < 10; round += 1) expect(await verify(backend)).toMatchObject({ kind: "ok" });
  });

  it("ends its waiting requests and its connections when closed", async () => {
    const backend = exampleDirectory([slapd.uri]);
    expect(await verify(backend)).toMatchObject({ kind: "ok" });
    await slapd.pause();
    const pending = verify(backend).catch(() => undefined);
    await backend.close();
    await pending;
    expect(backend.snapshot()["default"]).toMatchObject({ lookup: { connections: 0 }, bind: { connections: 0 } });
    await expect(verify(backend)).rejects.toMatchObject({ code: "SHUTTING_DOWN" });
    slapd.resume();
  });
});
