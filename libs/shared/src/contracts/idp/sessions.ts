import { type Static, Type } from "typebox";
import { component, text, texts, time } from "../schema.ts";

/** A session at a client, without its token. */
const OidcSession = component("OidcSession", {
  id: text("Identifier of the session. It is derived from the token and grants no access."),
  client_id: Type.String(),
  user_id: text("OIDC subject (`sub`)."),
  username: Type.String(),
  display_name: Type.String(),
  redirect_uri: Type.String(),
  mfa_method: text("Method of the second factor. Empty if none was used."),
  scopes: Type.Array(Type.String()),
  auth_time: Type.String({ format: "date-time" }),
  mfa_completed: Type.Boolean(),
});

/** A browser that is signed in on the pages, whether or not a client uses the session. */
const BrowserSession = component("BrowserSession", {
  id: text("Identifier of the session. It is not the value of its cookie."),
  client_ip: text("Address from which the session was started. Empty if unknown."),
  user_agent: text("User agent of the browser."),
  auth_time: Type.String({ format: "date-time" }),
  last_seen: time("Time of last use, accurate to one minute."),
  mfa_completed: Type.Boolean(),
  client_ids: texts("OIDC clients for which the session was used."),
});

export type OidcSessionListed = Static<typeof OidcSession>;
export type BrowserSessionListed = Static<typeof BrowserSession>;

export const OidcSessionList = component("OidcSessionList", {
  sessions: Type.Array(OidcSession),
  browser_sessions: Type.Optional(Type.Array(BrowserSession)),
});
export type OidcSessionList = Static<typeof OidcSessionList>;
