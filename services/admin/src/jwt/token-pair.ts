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
import type { JwtUser, UserSource } from "./users.ts";

/** The claims of a refresh token: enough to find its user and family, and nothing that grants access to a route. */
interface RefreshClaims {
  readonly sub: string;
  readonly source: UserSource;
  readonly family: string;
  readonly jti: string;
  readonly epoch: number;
}

const id = /^[A-Za-z0-9_-]{1,64}$/;

function isSource(value: unknown): value is UserSource {
  return value === "configuration" || value === "directory";
}

/** Undefined for claims that are not from one of our refresh tokens. */
export function readRefreshClaims(
  payload: Readonly<Record<string, unknown>>,
  audience: string,
): RefreshClaims | undefined {
  const { aud, token_use: use, sub, source, family, jti, epoch } = payload;
  if (aud !== audience || use !== "refresh" || !isSource(source)) return undefined;
  if (typeof sub !== "string" || typeof family !== "string" || typeof jti !== "string") return undefined;
  if (!id.test(family) || !id.test(jti) || typeof epoch !== "number") return undefined;
  return { sub, source, family, jti, epoch };
}

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
