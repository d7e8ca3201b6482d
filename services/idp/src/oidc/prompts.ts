import { interactionPolicy, type KoaContextWithOIDC } from "oidc-provider";
import { wordsOf } from "./json.ts";

const { base, Check, Prompt } = interactionPolicy;

function missesWantedAcr(ctx: KoaContextWithOIDC): boolean {
  const wanted = wordsOf(ctx.oidc.params?.["acr_values"]);
  const { session, result } = ctx.oidc;
  const isMet = session?.acr !== undefined && wanted.includes(session.acr);
  return wanted.length > 0 && !isMet && result?.login === undefined;
}

/** When a user is asked: to sign in, to choose an account, to consent. */
export function interactionPrompts(): interactionPolicy.DefaultPolicy {
  const policy = base();
  policy.add(new Prompt({ name: "select_account", requestable: true }), 0);
  policy
    .get("login")
    ?.checks.add(new Check("acr_values", "another way of signing in is wished for", (ctx) => missesWantedAcr(ctx)));
  // It would ask for consent each time; whether a client needs it is the site's to say.
  policy.get("consent")?.checks.remove("native_client_prompt");
  return policy;
}
