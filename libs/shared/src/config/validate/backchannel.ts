import { messages } from "../messages.ts";
import type { Config } from "../schema/root.ts";
import type { Judgement } from "./judgement.ts";

export function validateBackchannel(config: Config, { problem, warning }: Judgement): void {
  const { basic_auth, oidc_bearer } = config.auth.backchannel;
  for (const name of ["username", "password"] as const) {
    if (basic_auth.enabled && basic_auth[name] === "") {
      const condition = "auth.backchannel.basic_auth.enabled is true";
      problem(`auth.backchannel.basic_auth.${name}`, messages.needsWhen(condition));
    }
  }
  if (!basic_auth.enabled && !oidc_bearer.enabled) warning("auth.backchannel", messages.noCallers);
}
