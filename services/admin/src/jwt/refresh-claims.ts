import type { UserSource } from "./users.ts";

/** The claims of a refresh token: enough to find its user and family, and nothing that grants access to a route. */
export interface RefreshClaims {
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
