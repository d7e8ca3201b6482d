import { backchannelAudience } from "../backchannel-audience.ts";
import { messages } from "../messages.ts";
import type { Config } from "../schema/root.ts";
import type { Judgement } from "./judgement.ts";

const root = "auth.oauthbearer";

export function validateOauthBearer(config: Config, { problem }: Judgement): void {
  const { oauthbearer, backchannel } = config.auth;
  const { enabled, issuer, audience, required_scope } = oauthbearer;
  if (audience.includes(backchannelAudience(config))) problem(`${root}.audience`, messages.callersAudience);
  if (!enabled) return;
  if (issuer === "" && backchannel.oidc_bearer.issuer === "") {
    problem(`${root}.issuer`, messages.needsWhen(`${root}.enabled is true`));
  }
  // The tokens of registered mail clients have a separate audience.
  const { mail_registration: mail } = config.identity.oidc;
  if (audience.length === 0 && required_scope.length === 0 && !mail.enabled) problem(root, messages.anyToken);
}
