import { poll, type Slapd, spawnSlapd } from "@postern/shared/testing";
import { expect, test } from "vitest";
import { exampleLdif } from "../../integration/ldap/example-directory.ts";
import { alice, askJson } from "../../support/ask-json.ts";
import { clockOffset } from "../../support/clock-offset.ts";
import { startStack } from "../../support/stack.ts";

const hourMs = 3_600_000;

function backendsAt(slapd: Slapd): object {
  return {
    order: ["ldap"],
    ldap: {
      default: { server_uri: [slapd.uri], bind_dn: slapd.rootDn, bind_pw: slapd.rootPassword, cb_cooldown: "1s" },
      search: [
        {
          protocol: ["imap"],
          cache_name: "mail",
          base_dn: `ou=people,${slapd.suffix}`,
          filter: { user: "(&(objectClass=inetOrgPerson)(mail=%L{user}))" },
          mapping: { account_field: "uid" },
          attribute: ["cn", "mail"],
        },
      ],
    },
  };
}

test.each([
  ["back", -hourMs],
  ["forward", hourMs],
])(
  "an engine's clock is set %s by an hour while its LDAP server is down: the server is used again as soon as it is back",
  async (_direction, offsetMs) => {
    await using slapd = await spawnSlapd({ ldif: exampleLdif });
    await using stack = await startStack({
      engines: 2,
      env: clockOffset(offsetMs, "at SIGUSR2"),
      backends: backendsAt(slapd),
      settings: { runtime: { timeouts: { decision: "20s" } }, auth: { pipeline: { local_cache_ttl: "0s" } } },
    });
    const signIn = async (): Promise<number> =>
      (await askJson(stack.url, { ...alice, password: "alice-password" })).status;
    expect(await signIn()).toBe(200);
    await slapd.kill();
    for (const engine of stack.engines) {
      await poll(
        "the engine to leave the server out",
        async () => {
          expect(await signIn()).toBe(500);
          return engine.output().includes("is not used after repeated failures");
        },
        60_000,
      );
    }
    for (const engine of stack.engines) engine.signal("SIGUSR2");
    await slapd.start();
    await poll(
      "decisions by both engines",
      async () => {
        const statuses = await Promise.all(Array.from({ length: 12 }, signIn));
        return statuses.every((status) => status === 200);
      },
      60_000,
    );
    expect((await askJson(stack.url, { ...alice, password: "wrong" })).status).toBe(403);
  },
  180_000,
);

test("an engine's clock is set back by an hour: a cached success ends with its lifetime", async () => {
  await using slapd = await spawnSlapd({ ldif: exampleLdif });
  await using stack = await startStack({
    engines: 2,
    env: clockOffset(-hourMs, "at SIGUSR2"),
    backends: backendsAt(slapd),
    settings: { auth: { pipeline: { local_cache_ttl: "10s" } } },
  });
  const signIn = async (): Promise<number> =>
    (await askJson(stack.url, { ...alice, password: "alice-password" })).status;
  const many = (): Promise<number[]> => Promise.all(Array.from({ length: 12 }, signIn));
  await poll("successes by both engines", async () => (await many()).every((status) => status === 200));
  for (const engine of stack.engines) engine.signal("SIGUSR2");
  await slapd.kill();
  const undecided = Array.from({ length: 12 }, () => 500);
  await expect.poll(many, { timeout: 60_000 }).toEqual(undecided);
});
