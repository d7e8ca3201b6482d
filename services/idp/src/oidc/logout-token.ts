import { randomUUID } from "node:crypto";
import type { Generation } from "./generation.ts";
import type { LogoutNotice } from "./logout-notices.ts";

const event = "http://schemas.openid.net/event/backchannel-logout";

/**
 * A logout token (Back-Channel Logout 1.0 §2.4), which lives two minutes; `typ: Logout` in its payload beside that of
 * its header, as webmail asks for. Undefined for a client that is not registered any more.
 */
export async function logoutToken(
  { provider }: Generation,
  { clientId, sub, sid }: LogoutNotice,
): Promise<{ readonly token: string; readonly uri: string } | undefined> {
  const client = await provider.Client.find(clientId);
  const uri = client?.backchannelLogoutUri;
  if (client === undefined || uri === undefined) return undefined;
  const token = new provider.IdToken({}, { client });
  token.set("sub", sub);
  token.set("events", { [event]: {} });
  token.set("jti", randomUUID());
  token.set("typ", "Logout");
  if (sid !== undefined) token.set("sid", sid);
  return { token: await token.issue({ use: "logout" }), uri };
}
