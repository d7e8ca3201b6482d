import { canonicalName } from "@postern/shared/platform/net";
import { interactionPolicy, type KoaContextWithOIDC } from "oidc-provider";
import { otherDomain } from "../../flow/flow-record.ts";
import { rankOfAcr, wantedRank } from "../../second-factors/factor-levels.ts";
import { meetsDemands, withAnyFactor } from "../../second-factors/sign-in-demands.ts";
import type { BrowserSessionRecord } from "../../sessions/browser-session.ts";
import { asksEachTime } from "../clients/address-rules.ts";
import type { ClientPolicies } from "../clients/clients.ts";
import { textOf, wordsOf } from "../storage/models.ts";
import type { ProviderHooks } from "./hooks.ts";

const { base, Check, Prompt } = interactionPolicy;

function missesWantedAcr(ctx: KoaContextWithOIDC): boolean {
  const wanted = wordsOf(ctx.oidc.params?.["acr_values"]);
  const { session, result } = ctx.oidc;
  const rank = wantedRank(wanted);
  const isMet = rank !== undefined && (rankOfAcr(session?.acr) ?? 0) >= rank;
  return wanted.length > 0 && !isMet && result?.login === undefined;
}

/** Another application's sign-in may have used fewer factors than this client demands, or be too old. */
async function missesDemandedFactor(
  ctx: KoaContextWithOIDC,
  policies: ClientPolicies,
  { findSession, nowSeconds, domains }: ProviderHooks,
): Promise<boolean> {
  const demands = policies.get(ctx.oidc.client?.clientId ?? "")?.demands;
  if (demands === undefined || (demands.level === 0 && !domains.areUsed())) return false;
  const { session } = ctx.oidc;
  const known = session?.accountId === undefined ? undefined : await findSession(session.uid);
  if (known === undefined) return demands.level > 0;
  const isRequired = await domains.requiresFactor(known.account);
  return !meetsDemands(known, isRequired ? withAnyFactor(demands) : demands, nowSeconds());
}

/** Whether the client is not for the domain of the account that is signed in. */
async function isForOthers(
  { oidc: { client, session } }: KoaContextWithOIDC,
  policies: ClientPolicies,
  { findSession, domains }: ProviderHooks,
): Promise<boolean> {
  const limit = policies.get(client?.clientId ?? "")?.limit;
  if (limit === undefined || limit.size === 0 || session?.accountId === undefined) return false;
  const known = await findSession(session.uid);
  return known !== undefined && !(await domains.isWithin(known.account, limit));
}

/**
 * Whether the client knows who is signed in: the user has granted it something in this session, or it needs no consent. Not if another
 * program may be asking in its name.
 */
function knowsUser({ client, session, params }: KoaContextWithOIDC["oidc"], policies: ClientPolicies): boolean {
  const id = client?.clientId ?? "";
  const policy = policies.get(id);
  if (policy === undefined || asksEachTime(policy, textOf(params?.["redirect_uri"]) ?? "")) return false;
  return session?.grantIdFor(id) !== undefined || policy.config.skip_consent;
}

function isNamed({ account, accountId, attributes = {} }: BrowserSessionRecord, hint: string): boolean {
  return [account, accountId, ...Object.values(attributes).flat()].some(
    (name) => canonicalName(name.toLowerCase()) === hint,
  );
}

/** Whether a hint names the account, also by another spelling of its domain. */
async function names(known: BrowserSessionRecord, hint: string, { domains }: ProviderHooks): Promise<boolean> {
  if (isNamed(known, hint)) return true;
  const { account } = known;
  const [one, other] = await Promise.all([domains.place(account.toLowerCase()), domains.place(hint)]);
  return canonicalName(one) === canonicalName(other);
}

/**
 * Whether `login_hint` is an address of another account than the signed-in one. With `prompt=none` only for a client that
 * knows the user: for others the error would reveal who is signed in.
 */
async function namesAnotherAccount(
  { oidc }: KoaContextWithOIDC,
  policies: ClientPolicies,
  hooks: ProviderHooks,
): Promise<boolean> {
  const { params, prompts, session, result } = oidc;
  const hint = canonicalName(textOf(params?.["login_hint"])?.trim().toLowerCase() ?? "");
  if (!hint.includes("@") || session?.accountId === undefined || result?.login !== undefined) return false;
  if (prompts.has("none") && !knowsUser(oidc, policies)) return false;
  const known = await hooks.findSession(session.uid);
  return known !== undefined && !(await names(known, hint, hooks));
}

/** When a user must sign in, choose an account or consent. */
export function interactionPrompts(policies: ClientPolicies, hooks: ProviderHooks): interactionPolicy.DefaultPolicy {
  const policy = base();
  policy.add(
    new Prompt(
      { name: "select_account", requestable: true },
      new Check("other_account", "login_hint names another account", "account_selection_required", (ctx) =>
        namesAnotherAccount(ctx, policies, hooks),
      ),
    ),
    0,
  );
  const login = policy.get("login")?.checks;
  login?.add(new Check("acr_values", "the requested acr requires another sign-in", (ctx) => missesWantedAcr(ctx)));
  login?.add(
    new Check("mfa_required", "the client requires another second factor", (ctx) =>
      missesDemandedFactor(ctx, policies, hooks),
    ),
  );
  login?.add(
    new Check(otherDomain, "the client is not for the domain of the account", (ctx) =>
      isForOthers(ctx, policies, hooks),
    ),
  );
  // It would require consent every time; the site decides whether a client needs consent.
  policy.get("consent")?.checks.remove("native_client_prompt");
  return policy;
}
