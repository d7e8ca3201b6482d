import { randomUUID } from "node:crypto";
import type { Generation } from "../provider/generation.ts";
import type { LogoutDelivery } from "./logout-deliveries.ts";

const event = "http://schemas.openid.net/event/backchannel-logout";

export interface LogoutMessage {
  readonly token: string;
  readonly uri: string;
}

/**
 * A logout token (Back-Channel Logout 1.0 §2.4), valid for two minutes. Its payload has `typ: Logout` in addition to the
 * header, which webmail requires. `unknown_client` if this replica does not know the client, `no_uri` if the client is not to be notified.
 */
export async function logoutToken(
  { provider, settings }: Generation,
  { clientId, sub, sid }: LogoutDelivery,
): Promise<LogoutMessage | "unknown_client" | "no_uri"> {
  const client = await provider.Client.find(clientId);
  if (client === undefined) return "unknown_client";
  const uri = client.backchannelLogoutUri;
  if (uri === undefined) return "no_uri";
  const token = new provider.IdToken({}, { client });
  token.set("sub", sub);
  token.set("events", { [event]: {} });
  token.set("jti", randomUUID());
  token.set("typ", "Logout");
  if (sid !== undefined && settings.oidc.logout.back_channel_session_supported) token.set("sid", sid);
  return { token: await token.issue({ use: "logout" }), uri };
}
