import { once } from "node:events";
import { connect, createServer, type Server, type Socket } from "node:net";
import { Secret } from "@postern/shared/platform/crypto";
import { poll, type Slapd, spawnSlapd } from "@postern/testing";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { LdapBackend } from "../../../services/auth-engine/src/backends/ldap/ldap-backend.ts";
import { startStallableProxy } from "../../support/stallable-proxy.ts";
import { ask, exampleDirectory, exampleLdif, within } from "./example-directory.ts";

const right = new Secret("alice-password");
const verify = (backend: LdapBackend) => backend.verify(ask("alice"), right, within(5000));

/** Logs in on several connections simultaneously until stopped; resolves to every outcome. */
function load(backend: LdapBackend): { readonly outcomes: unknown[]; stop(): Promise<void> } {
  const outcomes: unknown[] = [];
  const over = new AbortController();
  const line = async (): Promise<void> => {
    while (!over.signal.aborted) {
      outcomes.push(await verify(backend).then(({ kind }) => kind, String));
    }
  };
  const lines = Array.from({ length: 6 }, line);
  return {
    outcomes,
    stop: async () => {
      over.abort();
      await Promise.all(lines);
    },
  };
}

/** User searches that a server has received. */
const count = (slapd: Slapd): number => slapd.output().match(/SRCH base="ou=people/g)?.length ?? 0;

describe("an LDAP directory with two servers", () => {
  let stack: AsyncDisposableStack;
  let one: Slapd;
  let two: Slapd;
  let backend: LdapBackend;

  beforeEach(async () => {
    stack = new AsyncDisposableStack();
    one = stack.use(await spawnSlapd({ ldif: exampleLdif }));
    two = stack.use(await spawnSlapd({ ldif: exampleLdif }));
    backend = exampleDirectory([one.uri, two.uri]);
    stack.defer(() => backend.close());
  });
  afterEach(() => stack.disposeAsync());

  it("uses both", async () => {
    const traffic = load(backend);
    await poll("searches on both", () => count(one) > 20 && count(two) > 20);
    await traffic.stop();
    expect(new Set(traffic.outcomes)).toEqual(new Set(["ok"]));
  });

  it.each(["SIGKILL", "SIGSTOP"] as const)(
    "fails no request when one of them receives %s, and uses it again afterwards",
    async (signal) => {
      const traffic = load(backend);
      await poll("requests to both", () => count(one) > 5 && count(two) > 5);
      if (signal === "SIGKILL") await one.kill();
      else await one.pause();
      await poll("the breaker", () => backend.snapshot()["default"]?.servers[0]?.breaker === "open");
      const during = count(two);
      await poll("requests to the other", () => count(two) > during + 20);
      if (signal === "SIGKILL") await one.start();
      else one.resume();
      const before = count(one);
      await poll("requests to both again", () => count(one) > before + 20);
      await traffic.stop();
      expect(new Set(traffic.outcomes)).toEqual(new Set(["ok"]));
    },
  );
});

describe("one of two servers becomes unreachable", () => {
  it("rejects no correct password and answers in time meanwhile, and uses the server again afterwards", async () => {
    await using stack = new AsyncDisposableStack();
    const one = stack.use(await spawnSlapd({ ldif: exampleLdif }));
    const two = stack.use(await spawnSlapd({ ldif: exampleLdif }));
    const proxy = stack.use(await startStallableProxy(one.port));
    const backend = exampleDirectory([`ldap://127.0.0.1:${proxy.port}`, two.uri]);
    stack.defer(() => backend.close());
    const traffic = load(backend);
    await poll("requests to both", () => count(one) > 5 && count(two) > 5);
    proxy.stall();
    await poll("the breaker", () => backend.snapshot()["default"]?.servers[0]?.breaker === "open");
    const during = count(two);
    await poll("requests to the other", () => count(two) > during + 20);
    proxy.resume();
    const before = count(one);
    await poll("requests to both again", () => count(one) > before + 20);
    await traffic.stop();
    expect(new Set(traffic.outcomes)).toEqual(new Set(["ok"]));
  });
});

describe("the host of one of two servers is gone, and no time limit of an operation passes", () => {
  it("asks the other server, for searches, binds and new connections", async () => {
    await using stack = new AsyncDisposableStack();
    const one = stack.use(await spawnSlapd({ ldif: exampleLdif }));
    const two = stack.use(await spawnSlapd({ ldif: exampleLdif }));
    const proxy = stack.use(await startStallableProxy(one.port));
    const longMs = 300_000;
    const backend = exampleDirectory([`ldap://127.0.0.1:${proxy.port}`, two.uri], {
      connectTimeoutMs: longMs,
      searchTimeoutMs: longMs,
      bindTimeoutMs: longMs,
      healthCheckIntervalMs: longMs,
      healthCheckTimeoutMs: longMs,
    });
    const traffic = load(backend);
    await poll("requests to both", () => count(one) > 5 && count(two) > 5);
    await traffic.stop();
    proxy.stall();
    const outcomes: unknown[] = [];
    for (let round = 0; round < 6; round += 1) {
      outcomes.push(await backend.verify(ask("alice"), right, within(30_000)).then(({ kind }) => kind, String));
    }
    expect(outcomes).toEqual(outcomes.map(() => "ok"));
    // Operations without an answer would keep the pools open until their time limit.
    await proxy[Symbol.asyncDispose]();
    await backend.close();
  });
});

/** Forwards to a slapd, and can close each connection at its next request, as a firewall or a server with a short idle timeout does. */
async function cuttingProxy(port: number): Promise<AsyncDisposable & { readonly uri: string; cut(): void }> {
  const sockets = new Set<Socket>();
  let toCut = new Set<Socket>();
  const server: Server = createServer((client) => {
    const upstream = connect({ port, host: "127.0.0.1" });
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on("error", () => undefined);
      socket.on("close", () => {
        client.destroy();
        upstream.destroy();
      });
    }
    client.on("data", (chunk) => {
      if (toCut.has(client)) client.resetAndDestroy();
      else upstream.write(chunk);
    });
    upstream.pipe(client);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no TCP address");
  return {
    uri: `ldap://127.0.0.1:${address.port}`,
    cut: () => {
      toCut = new Set(sockets);
    },
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
}

describe("an LDAP connection that closes before the server answered", () => {
  it("fails no request", async () => {
    await using stack = new AsyncDisposableStack();
    const slapd = stack.use(await spawnSlapd({ ldif: exampleLdif }));
    const proxy = stack.use(await cuttingProxy(slapd.port));
    const backend = exampleDirectory([proxy.uri], {
      lookupPoolSize: 1,
      authPoolSize: 1,
      healthCheckIntervalMs: 60_000,
    });
    stack.defer(() => backend.close());
    for (let round = 0; round < 5; round += 1) {
      expect(await verify(backend)).toMatchObject({ kind: "ok" });
      proxy.cut();
      expect(await verify(backend)).toMatchObject({ kind: "ok" });
    }
    // The service account, not an anonymous connection, searches again after each loss.
    const ids = (pattern: RegExp) => new Set([...slapd.output().matchAll(pattern)].map(([, id]) => id));
    await poll("the searches in slapd's log", () => ids(/conn=(\d+) op=\d+ SRCH base="ou=people/g).size > 4);
    const searchConnections = ids(/conn=(\d+) op=\d+ SRCH base="ou=people/g);
    const bound = ids(/conn=(\d+) op=\d+ BIND dn="cn=reader/g);
    expect([...searchConnections].filter((id) => !bound.has(id))).toEqual([]);
  });
});
