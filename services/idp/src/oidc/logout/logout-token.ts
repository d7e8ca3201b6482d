import { randomUUID } from "node:crypto";
import type { Generation } from "../provider/generation.ts";
import type { LogoutDelivery } from "./logout-deliveries.ts";

const event = "http://schemas.openid.net/event/backchannel-logout";

/**
 * A logout token (Back-Channel Logout 1.0 §2.4), valid for two minutes. Its payload has `typ: Logout` in addition to the
 * header, which webmail requires. Undefined for a client that is no longer registered.
 */
export async function logoutToken(
  { provider, settings }: Generation,
  { clientId, sub, sid }: LogoutDelivery,
): Promise<{ readonly token: string; readonly uri: string } | undefined> {
  const client = await provider.Client.find(clientId);
  const uri = client?.backchannelLogoutUri;
  if (client === undefined || uri === undefined) return undefined;
  const token = new provider.IdToken({}, { client });
  token.set("sub", sub);
  token.set("events", { [event]: {} });
  token.set("jti", randomUUID());
  token.set("typ", "Logout");
  if (sid !== undefined && settings.oidc.logout.back_channel_session_supported) token.set("sid", sid);
  return { token: await token.issue({ use: "logout" }), uri };
}
