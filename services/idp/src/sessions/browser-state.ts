import { hash, randomBytes } from "node:crypto";

/** Value of the cookie while the browser has no session: it differs from that of every session. */
const withoutSession = "none";

/** What the browser's scripts may know of a session (OpenID Connect Session Management 1.0 §3.2): not its identifier. */
export function browserStateOf(sessionUid: string | undefined): string {
  return sessionUid === undefined ? withoutSession : hash("sha256", `browser-state:${sessionUid}`, "base64url");
}

/**
 * `session_state` of an authorization response: `<SHA-256, hex>.<salt>`. `check-session-script.ts` computes the same.
 * The salt keeps clients from recognising a browser by the value. `origin`: that of the redirect URI, from which the client asks.
 */
export function sessionStateOf(
  { clientId, origin, sessionUid }: Readonly<Record<"clientId" | "origin" | "sessionUid", string>>,
  salt = randomBytes(16).toString("hex"),
): string {
  return `${hash("sha256", [clientId, origin, browserStateOf(sessionUid), salt].join(" "), "hex")}.${salt}`;
}
