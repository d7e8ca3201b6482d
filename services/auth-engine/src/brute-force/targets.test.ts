import { loadConfig } from "@postern/shared/platform/config";
import { describe, expect, test } from "vitest";
import type { Attempt } from "../pipeline/attempt.ts";
import { bruteForceSettings } from "./brute-force-settings.ts";
import { createTargets } from "./targets.ts";

const buckets = [{ name: "ipv4", period: "10m", ban_time: "1h", cidr: 24, failed_requests: 10, ipv4: true }];

function targetsOf(bruteForce: object) {
  const text = JSON.stringify({ auth: { controls: { brute_force: { buckets, ...bruteForce } } } });
  const loaded = loadConfig({ text, env: {}, readFile: () => "" });
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems));
  const settings = bruteForceSettings(loaded.config.auth.controls.brute_force);
  const targetOf = createTargets(settings, { ...settings, keyPrefix: "p:" });
  return (attempt: Partial<Attempt>) =>
    targetOf({
      session: "7d3f",
      operation: "authenticate",
      dialect: "json",
      username: "alice",
      protocol: "imap",
      tls: true,
      memoryCache: true,
      sharedCache: true,
      password: undefined,
      ...attempt,
    });
}

const peer = { clientIp: "192.0.2.1", clientIpIsPeer: true };

describe("a mail server that sends no client address", () => {
  test.each([
    ["ip_allowlist", { ip_allowlist: ["192.0.2.1"] }],
    ["allowlist", { allowlist: { alice: ["192.0.2.1"] } }],
  ])("is exempt if it is in %s, but guesses at accounts through it are counted", (_list, config) => {
    const counting = targetsOf({ ...config, without_client: { count_network: true } })(peer);
    expect(counting.target).toBeUndefined();
    expect(counting.account).toMatchObject({ username: "alice", source: { network: undefined, isTrusted: false } });
  });

  test("that is in neither list is counted by network if the site configures it", () => {
    expect(targetsOf({ without_client: { count_network: true } })(peer).target).toBeDefined();
    expect(targetsOf({})(peer).target).toBeUndefined();
  });
});

test.each([
  ["ip_allowlist", { ip_allowlist: ["192.0.2.1"] }],
  ["allowlist", { allowlist: { alice: ["192.0.2.1"] } }],
])("a client in %s is not counted at all", (_list, config) => {
  expect(targetsOf(config)({ clientIp: "192.0.2.1" })).toEqual({ target: undefined, account: undefined });
});

test.each(["alice@m\u00FCnchen.example", "Alice@XN--MNCHEN-3YA.example"])(
  "the name %j is in the allowlist, in whichever form its domain is written",
  (username) => {
    const targetOf = targetsOf({ allowlist: { "alice@m\u00FCnchen.example": ["192.0.2.1"] } });
    expect(targetOf({ username, clientIp: "192.0.2.1" })).toEqual({ target: undefined, account: undefined });
  },
);

test.each(["Alice", "ALICE", " alice ", "ａｌｉｃｅ", "alice\t"])(
  "failures for %j are counted for the account alice",
  (username) => {
    const counting = targetsOf({})({ username, clientIp: "192.0.2.1" });
    expect(counting.account).toMatchObject({ username: "alice", keys: { delayed: "p:bf:slowed:{alice}" } });
  },
);

test("the result for an address is computed once and shared by all accounts", () => {
  const targetOf = targetsOf({ account_delay: { known_networks: ["198.51.100.0/24"] } });
  for (const clientIp of ["2001:db8::1", "198.51.100.7"]) {
    expect(targetOf({ clientIp }).account?.source).toBe(targetOf({ clientIp, username: "bob" }).account?.source);
  }
  expect(targetOf({ clientIp: "2001:db8::1" }).account?.source).toEqual({
    network: "2001:db8::/48",
    isTrusted: false,
  });
  expect(targetOf({ clientIp: "198.51.100.7" }).account?.source.isTrusted).toBe(true);
});
