import { pathTo } from "@postern/shared/contracts";
import type { KoaContextWithOIDC, Provider } from "oidc-provider";
import { type FlowClient, type FlowMissing, type FlowParams, otherDomain } from "../../flow/flow-record.ts";
import type { OidcFlowStart } from "../../flow/flow-starter.ts";
import { acceptsDevice } from "../../remembered-devices/accepted-requests.ts";
import { flowDemands, type MfaPolicyConfig } from "../../second-factors/sign-in-demands.ts";
import { startAddress } from "../clients/address-rules.ts";
import type { ClientPolicies, ClientPolicy } from "../clients/clients.ts";
import type { OidcParts, OidcState } from "../state/context.ts";
import { isRecord, textOf, textsOf } from "../storage/models.ts";

/** Identifies a request in the log; only the bridge sets it. */
export const referenceHeader = "x-service-reference";

/** Identifiers of interactions; language tags in the same place of the path are shorter. */
const interactionId = /^[A-Za-z0-9_-]{43}$/;

export function isInteractionId(segment: string): boolean {
  return interactionId.test(segment);
}

/** Where the browser returns to an authorization in progress. */
export function interactionPath(uid: string): string {
  return pathTo("authorizeInLanguage", { languageTag: uid });
}

/** The interaction to which a path returns; undefined for any other path. */
export function interactionOf(path: string): string | undefined {
  const segment = path.slice(path.lastIndexOf("/") + 1);
  return isInteractionId(segment) && path === interactionPath(segment) ? segment : undefined;
}

type Interaction = InstanceType<Provider["Interaction"]>;
type ShownPolicy = Pick<ClientPolicy, "config" | "isRegistered">;

const prompts = ["login", "consent", "select_account"] as const;

function optional<Name extends string>(name: Name, value: unknown): Partial<Record<Name, string>> {
  const text = textOf(value);
  const record: Partial<Record<Name, string>> = {};
  if (text !== undefined) record[name] = text;
  return record;
}

/** A client as the pages of a sign-in show it. */
export function flowClient(policy: ShownPolicy | undefined, id: string, mfaPolicy: MfaPolicyConfig): FlowClient {
  if (policy === undefined) return { id, skipConsent: false, delayedResponse: false };
  const { config, isRegistered } = policy;
  return {
    id,
    ...optional("name", config.name),
    ...optional("logoUri", config.logo_uri),
    ...optional("policyUri", config.policy_uri),
    ...optional("tosUri", config.tos_uri),
    ...flowDemands(config, mfaPolicy),
    skipConsent: config.skip_consent,
    delayedResponse: config.delayed_response,
    ...(config.domains.length > 0 && { domains: config.domains }),
    ...(isRegistered && { isUnverified: true }),
  };
}

function flowParams(params: Readonly<Record<string, unknown>>): FlowParams {
  return {
    ...optional("scope", params["scope"]),
    ...optional("loginHint", params["login_hint"]),
    ...optional("uiLocales", params["ui_locales"]),
    ...optional("acrValues", params["acr_values"]),
    ...optional("claims", params["claims"]),
    ...optional("state", params["state"]),
    ...optional("redirectUri", params["redirect_uri"]),
  };
}

function flowMissing(details: Readonly<Record<string, unknown>>): FlowMissing {
  const resources = details["missingResourceScopes"];
  return {
    scopes: textsOf(details["missingOIDCScope"]),
    claims: textsOf(details["missingOIDCClaims"]),
    resources: isRecord(resources)
      ? Object.fromEntries(Object.entries(resources).map(([name, scopes]) => [name, textsOf(scopes)]))
      : {},
  };
}

/** The addresses of clients that registered themselves are not the site's to recommend. */
function startOf(policy: ShownPolicy | undefined, issuer: string): Pick<FlowClient, "startUri"> {
  if (policy === undefined || policy.isRegistered) return {};
  return optional("startUri", startAddress(policy.config, issuer));
}

/** Starts a flow when the user must sign in or consent. @returns where the browser goes */
export function createInteractionUrl(
  { starter, settings, sessions, audit }: OidcParts,
  { times }: OidcState,
  policies: () => ClientPolicies,
) {
  return async (ctx: KoaContextWithOIDC, interaction: Interaction): Promise<string> => {
    const { uid, prompt, params, session, exp } = interaction;
    // The account name, not the subject, which users do not know.
    const account = session === undefined ? undefined : (await sessions.findByUid(session.uid))?.account;
    const clientId = textOf(params["client_id"]) ?? "";
    const policy = policies().get(clientId);
    const client = { ...flowClient(policy, clientId, settings().mfaPolicy), ...startOf(policy, ctx.oidc.issuer) };
    if (prompt.reasons.includes(otherDomain)) {
      const session = ctx.get(referenceHeader);
      const who = { actor: account, account, target: clientId, session };
      audit.record({ event: "user.login", outcome: "denied", ...who, reason: otherDomain, protocol: "oidc" });
    }
    const start: OidcFlowStart = {
      interactionUid: uid,
      prompt: prompts.find((name) => name === prompt.name) ?? "login",
      reasons: prompt.reasons,
      client,
      acceptsDevice: acceptsDevice(client, params),
      params: flowParams(params),
      missing: flowMissing(prompt.details),
      ...(account !== undefined && { accountId: account }),
      expiresAtMs: times.sharedSeconds(exp) * 1000,
    };
    return starter.startOidc(ctx.req, ctx.res, start);
  };
}
