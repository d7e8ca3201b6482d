import type { BrowserSessionRecord } from "../../sessions/browser-session.ts";
import type { Generation } from "../provider/generation.ts";

/** A client whose logout page is opened in a frame (OpenID Connect Front-Channel Logout 1.0). */
export interface LogoutFrame {
  readonly name: string;
  readonly address: string;
}

/** The registered address with `iss` and `sid` (§3); the client ends the session whose ID token contained this `sid`. */
function addressOf(uri: string, session: { readonly iss: string; readonly sid: string } | undefined): string {
  const url = new URL(uri);
  if (session !== undefined) {
    url.searchParams.set("iss", session.iss);
    url.searchParams.set("sid", session.sid);
  }
  return url.href;
}

/** The logout pages of the clients that used the session; empty while the front channel is off. */
export function logoutFrames(
  { policies, settings: { issuer: iss, oidc } }: Pick<Generation, "policies" | "settings">,
  { authorizations }: Pick<BrowserSessionRecord, "authorizations">,
): readonly LogoutFrame[] {
  const { front_channel_supported: isOn, front_channel_session_supported: tellsSession } = oidc.logout;
  if (!isOn) return [];
  return Object.entries(authorizations).flatMap(([clientId, { sid }]) => {
    const { frontchannel_logout_uri: uri = "", name = "" } = policies.get(clientId)?.config ?? {};
    if (uri === "") return [];
    return [{ name: name === "" ? clientId : name, address: addressOf(uri, tellsSession ? { iss, sid } : undefined) }];
  });
}
