import { interactionPolicy, type KoaContextWithOIDC } from "oidc-provider";
import { levelNumber, levelOfAcr, wantedLevel } from "../login/factor-levels.ts";
import type { ClientPolicies } from "./clients.ts";
import { wordsOf } from "./json.ts";

const { base, Check, Prompt } = interactionPolicy;

function missesWantedAcr(ctx: KoaContextWithOIDC): boolean {
  const wanted = wordsOf(ctx.oidc.params?.["acr_values"]);
  const { session, result } = ctx.oidc;
  const level = wantedLevel(wanted);
  const isMet = level !== undefined && (levelOfAcr(session?.acr) ?? 0) >= level;
  return wanted.length > 0 && !isMet && result?.login === undefined;
}

/** A session of another application may have shown less than this one demands. */
function missesDemandedFactor(ctx: KoaContextWithOIDC, policies: ClientPolicies): boolean {
  const config = policies.get(ctx.oidc.client?.clientId ?? "")?.config;
  if (config === undefined) return false;
  const demanded = Math.max(levelNumber(config.required_mfa_level), config.require_mfa.length > 0 ? 1 : 0);
  return (levelOfAcr(ctx.oidc.session?.acr) ?? 0) < demanded;
}

/** When a user is asked: to sign in, to choose an account, to consent. */
export function interactionPrompts(policies: ClientPolicies): interactionPolicy.DefaultPolicy {
  const policy = base();
  policy.add(new Prompt({ name: "select_account", requestable: true }), 0);
  policy
    .get("login")
    ?.checks.add(new Check("acr_values", "another way of signing in is wished for", (ctx) => missesWantedAcr(ctx)));
  policy
    .get("login")
    ?.checks.add(
      new Check("mfa_required", "the client demands another factor", (ctx) => missesDemandedFactor(ctx, policies)),
    );
  // It would ask for consent each time; whether a client needs it is the site's to say.
  policy.get("consent")?.checks.remove("native_client_prompt");
  return policy;
}
