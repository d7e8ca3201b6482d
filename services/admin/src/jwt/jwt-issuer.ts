import { randomUUID } from "node:crypto";
import type { Secret } from "@postern/shared/platform/crypto";
import type { RefreshFamilies } from "./refresh-families-redis.ts";
import type { TokenLives, TokenPairs } from "./token-pair.ts";
import type { JwtOutcome, JwtUsers, UserRequest } from "./users.ts";

export interface JwtIssuerDeps {
  readonly users: JwtUsers;
  readonly pairs: TokenPairs;
  readonly families: RefreshFamilies;
  readonly lives: () => TokenLives;
  /** The current token epoch of this user; rejects if it cannot be read. */
  readonly epochOf: (username: string) => Promise<number>;
  /** Called when a refresh token was used a second time. */
  readonly onReuse: (session: string) => void;
}

const denied: JwtOutcome = { outcome: "denied" };

/** Access tokens are accepted for some seconds after they expire. */
const longestSkewSeconds = 60;

/** The two JWT endpoints without HTTP. Rejects with an AppError for a temporary failure. */
export function createJwtIssuer({ users, pairs, families, lives, epochOf, onReuse }: JwtIssuerDeps) {
  return {
    logIn: async (
      { username, password }: { readonly username: string; readonly password: Secret },
      request: UserRequest,
    ): Promise<JwtOutcome> => {
      const user = await users.logIn(username, password, request);
      if (user === undefined) return denied;
      if (user.roles.length === 0) return { outcome: "no_role" };
      const facts = { user, family: randomUUID(), refreshId: randomUUID(), epoch: await epochOf(user.name) };
      await families.begin(facts.family, facts.refreshId, lives().refreshSeconds);
      return { outcome: "issued", response: await pairs.issue(facts) };
    },
    refresh: async (token: string, request: UserRequest): Promise<JwtOutcome> => {
      const claims = pairs.readRefreshToken(token);
      if (claims === undefined) return denied;
      const { sub, source, family, jti } = claims;
      const epoch = await epochOf(sub);
      if (claims.epoch < epoch) return denied;
      // Before the token is redeemed, so that it remains valid while a backend is unavailable.
      const user = await users.find({ name: sub, source }, request);
      if (user === undefined || user.roles.length === 0) return denied;
      const { accessSeconds, refreshSeconds } = lives();
      const refreshId = randomUUID();
      const redemption = await families.redeem({
        family,
        presented: jti,
        next: refreshId,
        ttlSeconds: refreshSeconds,
        denySeconds: accessSeconds + longestSkewSeconds,
      });
      if (redemption === "reused") onReuse(request.session);
      if (redemption !== "redeemed") return denied;
      return { outcome: "issued", response: await pairs.issue({ user, family, refreshId, epoch }) };
    },
  };
}

export type JwtIssuer = ReturnType<typeof createJwtIssuer>;
