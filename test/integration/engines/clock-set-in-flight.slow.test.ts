import { poll, spawnSlapd } from "@postern/testing";
import { expect, test } from "vitest";
import { alice, askJson } from "../../support/ask-json.ts";
import { clockIsSet, clockOffset } from "../../support/clock-offset.ts";
import { startHoldingProxy } from "../../support/holding-proxy.ts";
import { startStack } from "../../support/stack.ts";
import { exampleLdif } from "../ldap/example-directory.ts";

const hourMs = 3_600_000;
const requests = 8;

test.each([
  ["forward", hourMs],
  ["back", -hourMs],
])(
  "the clocks of gateway and engines are set %s by an hour while a backend is queried: the requests are decided",
  async (_direction, offsetMs) => {
    await using slapd = await spawnSlapd({ ldif: exampleLdif });
    await using proxy = await startHoldingProxy(Number(new URL(slapd.uri).port));
    await using stack = await startStack({
      shape: "five",
      engines: 2,
      env: clockOffset(offsetMs, "at SIGUSR2"),
      backends: {
        order: ["ldap"],
        ldap: {
          default: {
            server_uri: [`ldap://127.0.0.1:${proxy.port}`],
            bind_dn: slapd.rootDn,
            bind_pw: slapd.rootPassword,
          },
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
      },
      settings: {
        runtime: { timeouts: { decision: "60s", ldap_search: "60s", ldap_bind: "60s" } },
        auth: { pipeline: { local_cache_ttl: "0s" } },
      },
    });
    const signIn = async (password: string): Promise<number> =>
      (await askJson(stack.url, { ...alice, password })).status;
    expect(await signIn("alice-password")).toBe(200);
    proxy.hold("");
    const statuses = Promise.all(
      Array.from({ length: requests }, (_, index) => signIn(index % 2 === 0 ? "alice-password" : `wrong-${index}`)),
    );
    await poll("searches by both engines", () => proxy.held() >= 2);
    for (const service of [stack.gateway, ...stack.engines]) {
      service.signal("SIGUSR2");
      await poll("the step", () => service.output().includes(clockIsSet));
    }
    proxy.release();
    expect(await statuses).toEqual(Array.from({ length: requests }, (_, index) => (index % 2 === 0 ? 200 : 403)));
  },
  120_000,
);
