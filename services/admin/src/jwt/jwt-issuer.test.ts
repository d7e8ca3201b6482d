import { Secret } from "@postern/shared/platform/crypto";
import { AppError } from "@postern/shared/platform/errors";
import { expect, test } from "vitest";
import { createJwtIssuer } from "./jwt-issuer.ts";
import type { Redeem, RefreshFamilies } from "./refresh-families-redis.ts";
import { pairsOf } from "./testing/pairs.ts";
import type { JwtOutcome, JwtUser } from "./users.ts";

const request = { session: "s1", clientIp: "192.0.2.1", deadline: 1000, signal: new AbortController().signal };

/** Replaces the store in Redis: each redemption is atomic. */
function familiesInMemory() {
  const current = new Map<string, string>();
  const denied = new Map<string, number>();
  const families: RefreshFamilies = {
    begin: async (family, first) => void current.set(family, first),
    redeem: async ({ family, presented, next, denySeconds }: Redeem) => {
      if (!current.has(family)) return "unknown";
      if (current.get(family) === presented) {
        current.set(family, next);
        return "redeemed";
      }
      current.delete(family);
      denied.set(family, denySeconds);
      return "reused";
    },
  };
  return { families, denied };
}

interface State {
  user: JwtUser | undefined;
  epoch: number;
  isDirectoryAway: boolean;
}

function issuerOf() {
  const state: State = {
    user: { name: "operator", source: "configuration", roles: ["security"] },
    epoch: 0,
    isDirectoryAway: false,
  };
  const reused: string[] = [];
  const { families, denied } = familiesInMemory();
  const { pairs, lives } = pairsOf({ accessSeconds: 120 });
  const who = async (): Promise<JwtUser | undefined> => {
    if (state.isDirectoryAway) throw new AppError("DIRECTORY_UNAVAILABLE");
    return state.user;
  };
  const issuer = createJwtIssuer({
    users: { logIn: who, find: who },
    pairs,
    families,
    lives: () => lives,
    epochOf: async () => state.epoch,
    onReuse: (session) => reused.push(session),
  });
  const logIn = () => issuer.logIn({ username: "operator", password: new Secret("right") }, request);
  return { issuer, state, reused, denied, logIn, refresh: (token: string) => issuer.refresh(token, request) };
}

function refreshTokenOf(ended: JwtOutcome): string {
  if (ended.outcome !== "issued") throw new Error(ended.outcome);
  return ended.response.refresh_token;
}

test("wrong credentials are denied; a correct login without a role has its own outcome and no token", async () => {
  const { state, logIn } = issuerOf();
  state.user = undefined;
  expect(await logIn()).toEqual({ outcome: "denied" });
  state.user = { name: "operator", source: "configuration", roles: [] };
  expect(await logIn()).toEqual({ outcome: "no_role" });
});

test("each refresh token can be used once and returns the next one", async () => {
  const { logIn, refresh } = issuerOf();
  const tokens = [refreshTokenOf(await logIn())];
  for (let round = 0; round < 3; round += 1) tokens.push(refreshTokenOf(await refresh(tokens[round] ?? "")));
  expect(new Set(tokens).size).toBe(4);
});

test("a refresh token that is used twice revokes its family until its access tokens have expired", async () => {
  const { logIn, refresh, reused, denied } = issuerOf();
  const stolen = refreshTokenOf(await logIn());
  const next = refreshTokenOf(await refresh(stolen));
  expect(await refresh(stolen)).toEqual({ outcome: "denied" });
  expect(reused).toEqual(["s1"]);
  // The lifetime of the access token plus the leeway of its verifiers.
  expect([...denied.values()]).toEqual([180]);
  expect(await refresh(next)).toEqual({ outcome: "denied" });
});

test("of many concurrent refreshes with one token, one is issued", async () => {
  const { logIn, refresh } = issuerOf();
  const token = refreshTokenOf(await logIn());
  const ended = await Promise.all(Array.from({ length: 10 }, () => refresh(token)));
  expect(ended.filter(({ outcome }) => outcome === "issued")).toHaveLength(1);
});

const withoutRoles: JwtUser = { name: "operator", source: "configuration", roles: [] };
const changes: readonly (readonly [when: string, change: Partial<State>])[] = [
  ["the user no longer exists", { user: undefined }],
  ["the user no longer has a role", { user: withoutRoles }],
  ["all tokens of the user were revoked", { epoch: 1 }],
];
test.each(changes)("no refresh is issued when %s", async (_when, change) => {
  const { logIn, refresh, state } = issuerOf();
  const token = refreshTokenOf(await logIn());
  Object.assign(state, change);
  expect(await refresh(token)).toEqual({ outcome: "denied" });
});

test("a refresh that ends in a temporary failure does not use up its token", async () => {
  const { logIn, refresh, state } = issuerOf();
  const token = refreshTokenOf(await logIn());
  state.isDirectoryAway = true;
  await expect(refresh(token)).rejects.toThrow(AppError);
  state.isDirectoryAway = false;
  expect(await refresh(token)).toMatchObject({ outcome: "issued" });
});
