import { type Static, Type } from "typebox";

/** A session at a client, without its token. */
const OidcSession = Type.Object(
  {
    id: Type.String({ description: "Identifier of the session. It is derived from the token and grants no access." }),
    client_id: Type.String(),
    user_id: Type.String({ description: "OIDC subject (`sub`)." }),
    username: Type.String(),
    display_name: Type.String(),
    redirect_uri: Type.String(),
    mfa_method: Type.String({ description: "Method of the second factor. Empty if none was used." }),
    scopes: Type.Array(Type.String()),
    auth_time: Type.String({ format: "date-time" }),
    mfa_completed: Type.Boolean(),
  },
  { title: "OidcSession" },
);

/** A browser that is signed in on the pages, whether or not a client uses the session. */
const BrowserSession = Type.Object(
  {
    id: Type.String({ description: "Identifier of the session. It is not the value of its cookie." }),
    client_ip: Type.String({ description: "Address from which the session was started. Empty if unknown." }),
    user_agent: Type.String({ description: "User agent of the browser." }),
    auth_time: Type.String({ format: "date-time" }),
    last_seen: Type.String({ format: "date-time", description: "Time of last use, accurate to one minute." }),
    mfa_completed: Type.Boolean(),
    client_ids: Type.Array(Type.String(), { description: "OIDC clients for which the session was used." }),
  },
  { title: "BrowserSession" },
);

export type OidcSessionListed = Static<typeof OidcSession>;
export type BrowserSessionListed = Static<typeof BrowserSession>;

export const OidcSessionList = Type.Object(
  { sessions: Type.Array(OidcSession), browser_sessions: Type.Optional(Type.Array(BrowserSession)) },
  { title: "OidcSessionList" },
);
export type OidcSessionList = Static<typeof OidcSessionList>;
