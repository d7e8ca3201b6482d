import { Type } from "typebox";

/** Contract, "OIDC session record": a session of a client's, never its token. */
const OidcSession = Type.Object(
  {
    id: Type.String({ description: "Names the session; it is derived from its token and opens nothing." }),
    client_id: Type.String(),
    user_id: Type.String({ description: "The `sub`." }),
    username: Type.String(),
    display_name: Type.String(),
    redirect_uri: Type.String(),
    mfa_method: Type.String({ description: "Empty where there was none." }),
    scopes: Type.Array(Type.String()),
    auth_time: Type.String({ format: "date-time" }),
    mfa_completed: Type.Boolean(),
  },
  { title: "OidcSession" },
);

export const OidcSessionList = Type.Object({ sessions: Type.Array(OidcSession) }, { title: "OidcSessionList" });
