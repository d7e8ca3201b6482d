import { poll, type Slapd, spawnSlapd } from "@postern/testing";
import { expect, test } from "vitest";
import { exampleLdif } from "../../integration/ldap/example-directory.ts";
import { alice, askJson } from "../../support/ask-json.ts";
import { clockIsSet, clockOffset } from "../../support/clock-offset.ts";
import type { ServiceProcess } from "../../support/service-process.ts";
import { type Stack, startStack } from "../../support/stack.ts";

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

const signInAt = async ({ url }: Stack): Promise<number> =>
  (await askJson(url, { ...alice, password: "alice-password" })).status;

async function setClocks({ engines }: Stack): Promise<void> {
  for (const engine of engines) {
    engine.signal("SIGUSR2");
    await poll("the step", () => engine.output().includes(clockIsSet));
  }
}

/** How many decisions with this outcome an engine has made. */
async function decided(engine: ServiceProcess, outcome: "ok" | "tempfail"): Promise<number> {
  const series = new RegExp(`^service_engine_decision_seconds_count\\{[^}]*outcome="${outcome}"[^}]*\\} (\\d+)`, "gm");
  return [...(await engine.metrics()).matchAll(series)].reduce((sum, [, count]) => sum + Number(count), 0);
}

/** Repeats a sign-in until each engine has made another decision with this outcome. */
async function decidedByEach(stack: Stack, outcome: "ok" | "tempfail"): Promise<void> {
  for (const engine of stack.engines) {
    const before = await decided(engine, outcome);
    const isDecided = async (): Promise<boolean> => {
      await signInAt(stack);
      return (await decided(engine, outcome)) > before;
    };
    await poll(`${outcome} at each engine`, isDecided, 60_000);
  }
}

test.each([
  ["back", -hourMs],
  ["forward", hourMs],
])(
  "the clocks of two engines are set %s by an hour while their LDAP server is down: the server is used again as soon as it is back",
  async (_direction, offsetMs) => {
    await using slapd = await spawnSlapd({ ldif: exampleLdif });
    await using stack = await startStack({
      engines: 2,
      env: clockOffset(offsetMs, "at SIGUSR2"),
      backends: backendsAt(slapd),
      settings: { runtime: { timeouts: { decision: "20s" } }, auth: { pipeline: { local_cache_ttl: "0s" } } },
    });
    await decidedByEach(stack, "ok");
    await slapd.kill();
    for (const engine of stack.engines) {
      await poll(
        "the engine to leave the server out",
        async () => {
          expect(await signInAt(stack)).toBe(500);
          return engine.output().includes("is not used after repeated failures");
        },
        60_000,
      );
    }
    await setClocks(stack);
    await slapd.start();
    await decidedByEach(stack, "ok");
    const statuses = await Promise.all(Array.from({ length: 12 }, () => signInAt(stack)));
    expect(new Set(statuses)).toEqual(new Set([200]));
    expect((await askJson(stack.url, { ...alice, password: "wrong" })).status).toBe(403);
  },
  180_000,
);

test("the clocks of two engines are set back by an hour: successes that they have cached end with their lifetime", async () => {
  await using slapd = await spawnSlapd({ ldif: exampleLdif });
  await using stack = await startStack({
    engines: 2,
    env: clockOffset(-hourMs, "at SIGUSR2"),
    backends: backendsAt(slapd),
    settings: { auth: { pipeline: { local_cache_ttl: "10s" } } },
  });
  await decidedByEach(stack, "ok");
  await setClocks(stack);
  await slapd.kill();
  await decidedByEach(stack, "tempfail");
  const statuses = await Promise.all(Array.from({ length: 12 }, () => signInAt(stack)));
  expect(new Set(statuses)).toEqual(new Set([500]));
});
