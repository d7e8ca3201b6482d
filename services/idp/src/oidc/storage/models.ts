import { hash } from "node:crypto";
import type { AdapterPayload } from "oidc-provider";

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** The texts in a list; empty for anything else. */
export function textsOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === "string") : [];
}

/** The space-separated words of a text, without duplicates. */
export function wordsOf(value: unknown): readonly string[] {
  return typeof value === "string" ? [...new Set(value.split(" ").filter((word) => word !== ""))] : [];
}

/** Names a record in Redis and in lists by its identifier, which may itself be a token. */
export function digestOfId(id: string): string {
  return hash("sha256", id, "base64url");
}

/** Models that are consumed, and how long a second use is refused without revoking tokens (ms): a repeated poll is not theft. */
export const graceMs: Readonly<Record<string, number>> = {
  AuthorizationCode: 0,
  DeviceCode: 2000,
  PushedAuthorizationRequest: 0,
};

/** These, and the one whose grace is configured. */
export const usedOnce: ReadonlySet<string> = new Set([...Object.keys(graceMs), "RefreshToken"]);

/** Models that are listed by account, client and grant. */
export const indexed: ReadonlySet<string> = new Set([
  "AccessToken",
  "RefreshToken",
  "AuthorizationCode",
  "DeviceCode",
  "Grant",
]);

export type IndexKind = "account" | "client" | "grant";

export function indexesOf(payload: AdapterPayload): readonly (readonly [IndexKind, string])[] {
  const { accountId, clientId, grantId, kind, jti } = payload;
  const owner = accountId ?? clientId;
  const grant = kind === "Grant" ? jti : grantId;
  return [
    ...(owner === undefined ? [] : [["account", owner] as const]),
    ...(clientId === undefined ? [] : [["client", clientId] as const]),
    ...(grant === undefined ? [] : [["grant", grant] as const]),
  ];
}
