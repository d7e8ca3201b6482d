import type { Config } from "./schema/root.ts";

/** The audience of callers' access tokens: `auth.backchannel.oidc_bearer.audience`, else `<identifier>:backchannel`. */
export function backchannelAudience({ auth, runtime }: Config): string {
  const { audience } = auth.backchannel.oidc_bearer;
  return audience === "" ? `${runtime.naming.identifier}:backchannel` : audience;
}
