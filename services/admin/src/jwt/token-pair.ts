import { randomUUID } from "node:crypto";
import type { JwtTokenResponse } from "@postern/shared/contracts";
import {
  type ServiceTokenRules,
  serviceRefreshTokenType,
  serviceTokenNames,
  serviceTokenType,
  signServiceToken,
  verifyServiceSignature,
} from "@postern/shared/domain/tokens";
import { readTokenHeader } from "@postern/shared/platform/crypto";
import type { Clock } from "@postern/shared/platform/time";
import { type RefreshClaims, readRefreshClaims } from "./refresh-claims.ts";
import type { JwtUser } from "./users.ts";

export interface TokenLives {
  readonly accessSeconds: number;
  readonly refreshSeconds: number;
}

/** A pair belongs to a family, which begins with a login and continues with each refresh. */
export interface PairFacts {
  readonly user: JwtUser;
  readonly family: string;
  readonly refreshId: string;
  readonly epoch: number;
}

const maxTokenLength = 4096;

/** Creates token pairs and verifies their refresh tokens. */
export function createTokenPairs(rules: ServiceTokenRules, lives: () => TokenLives, clock: Clock) {
  const { key } = rules;
  const { issuer, accessAudience, refreshAudience } = serviceTokenNames(rules.identifier);
  return {
    issue: async ({ user, family, refreshId, epoch }: PairFacts): Promise<JwtTokenResponse> => {
      const { accessSeconds, refreshSeconds } = lives();
      const iat = Math.floor(clock.now() / 1000);
      const common = { iss: issuer, sub: user.name, iat, family, epoch };
      const access = {
        ...common,
        aud: accessAudience,
        exp: iat + accessSeconds,
        jti: randomUUID(),
        token_use: "access",
        roles: [...user.roles],
      };
      const refresh = {
        ...common,
        aud: refreshAudience,
        exp: iat + refreshSeconds,
        jti: refreshId,
        token_use: "refresh",
        source: user.source,
      };
      return {
        token: await signServiceToken(access, { key, typ: serviceTokenType }),
        expires_at: access.exp,
        refresh_token: await signServiceToken(refresh, { key, typ: serviceRefreshTokenType }),
      };
    },
    /** Undefined for anything but a valid refresh token of ours. */
    readRefreshToken: (token: string): RefreshClaims | undefined => {
      if (token.length > maxTokenLength) return undefined;
      const header = readTokenHeader(token);
      if (header?.typ !== serviceRefreshTokenType) return undefined;
      const result = verifyServiceSignature(token, header, rules);
      return "reason" in result ? undefined : readRefreshClaims(result.payload, refreshAudience);
    },
  };
}

export type TokenPairs = ReturnType<typeof createTokenPairs>;
