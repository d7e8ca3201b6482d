import type { IncomingMessage, ServerResponse } from "node:http";
import { pathTo } from "@postern/shared/contracts";
import type { ConsentEnd, FlowEnd, FlowEnding } from "../../flow/flow-port.ts";
import { lifeSeconds } from "../clients/clients.ts";
import type { OidcParts, OidcState } from "../state/context.ts";
import { isRecord, textOf, textsOf } from "../storage/models.ts";
import type { Bridge } from "./bridge.ts";
import type { Generation } from "./generation.ts";
import { interactionPath } from "./interaction-url.ts";

interface FinishDeps {
  readonly parts: OidcParts;
  readonly state: OidcState;
  readonly current: () => Generation;
  readonly bridge: Bridge;
}

type Interaction = InstanceType<Generation["provider"]["Interaction"]>;
type Grant = InstanceType<Generation["provider"]["Grant"]>;

/** Whether an essential `acr` is missing after a sign-in for it: another sign-in would loop forever. */
function missesAcrAgain({ prompt, lastSubmission }: Interaction): boolean {
  return prompt.reasons.some((reason) => reason.startsWith("essential_acr")) && lastSubmission?.login !== undefined;
}

const noSubject = { error: "server_error", error_description: "the account has no subject identifier" };

/** The last step of a sign-in, repeated after the interaction is over: its outcome is still known for some seconds. */
async function endingAgain({ state, current }: FinishDeps, flowId: string): Promise<FlowEnding> {
  if (!(await state.outcomes.isKnown(flowId))) return { expired: true };
  return { redirect: new URL(interactionPath(flowId), current().settings.issuer).href };
}

function createFinishLogin(deps: FinishDeps): FlowEnd["finishLogin"] {
  const { current, parts, state } = deps;
  return async (flowId, session): Promise<FlowEnding> => {
    const interaction = await current().provider.Interaction.find(flowId);
    if (interaction === undefined) return endingAgain(deps, flowId);
    const { uid, accountId, loginTs, acr, amr, remember } = session;
    const stored = await parts.sessions.findByUid(uid);
    if (stored?.lacksSubject === true) {
      const [account, client] = [stored.account, textOf(interaction.params["client_id"]) ?? ""];
      parts.logger.error({ account, client }, "sign-in refused: the account lacks the mapped unique_user_id_field");
      interaction.result = noSubject;
      await interaction.persist();
      return { redirect: interaction.returnTo };
    }
    // First sign-in of this browser, or another account: the previous session does not apply.
    if (interaction.session?.uid !== uid) interaction.session = undefined;
    const login = {
      accountId,
      ts: state.times.ownSeconds(loginTs),
      remember,
      ...(acr !== undefined && { acr }),
      ...(amr !== undefined && { amr: [...amr] }),
    };
    interaction.result = missesAcrAgain(interaction)
      ? { error: "unmet_authentication_requirements", error_description: "the sign-in did not reach the requested acr" }
      : { ...interaction.lastSubmission, select_account: {}, login };
    await interaction.persist();
    return { redirect: interaction.returnTo };
  };
}

/** Grants what the user allowed and records what the user rejected, so that this grant does not ask for it again. */
function grantChoice(
  grant: Grant,
  { prompt }: Interaction,
  scopes: readonly string[],
  covers: (claim: string, scopes: readonly string[]) => boolean,
): void {
  const requested = textsOf(prompt.details["missingOIDCScope"]);
  const kept = requested.filter((scope) => scopes.includes(scope));
  const refused = requested.filter((scope) => !scopes.includes(scope));
  if (kept.length > 0) grant.addOIDCScope(kept.join(" "));
  if (refused.length > 0) grant.rejectOIDCScope(refused.join(" "));
  const claims = textsOf(prompt.details["missingOIDCClaims"]);
  // Also with the scopes of an earlier consent in this session.
  const covering = [...scopes, ...grant.getOIDCScope().split(" ")];
  const [released, declined] = [true, false].map((one) => claims.filter((claim) => covers(claim, covering) === one));
  if (released !== undefined && released.length > 0) grant.addOIDCClaims([...released]);
  if (declined !== undefined && declined.length > 0) grant.rejectOIDCClaims([...declined]);
  const resources: unknown = prompt.details["missingResourceScopes"];
  for (const [resource, listed] of Object.entries(isRecord(resources) ? resources : {})) {
    const words = textsOf(listed);
    const left = words.filter((scope) => scopes.includes(scope));
    const out = words.filter((scope) => !scopes.includes(scope));
    if (left.length > 0) grant.addResourceScope(resource, left.join(" "));
    if (out.length > 0) grant.rejectResourceScope(resource, out.join(" "));
  }
}

function resume(
  { bridge }: FinishDeps,
  interaction: Interaction,
  request: IncomingMessage,
  response: ServerResponse,
): void {
  const { uid, returnTo } = interaction;
  const cookie = [request.headers.cookie, `service_resume=${uid}`].filter((part) => part !== undefined).join("; ");
  bridge.passRaw(request, response, { method: "GET", url: new URL(returnTo).pathname, headers: { cookie } });
}

function consentSeconds({ policies, settings }: Generation, clientId: string): number {
  return lifeSeconds(policies.get(clientId)?.config.consent_ttl ?? 0, settings.oidc.consent.ttl);
}

function createFinishConsent(deps: FinishDeps): ConsentEnd["finishConsent"] {
  const { current, state } = deps;
  return async (flowId, { scopes, remember }, request, response) => {
    const { provider, policies } = current();
    const interaction = await provider.Interaction.find(flowId);
    const accountId = interaction?.session?.accountId;
    const clientId = textOf(interaction?.params["client_id"]);
    if (interaction === undefined || accountId === undefined || clientId === undefined) return { expired: true };
    // A client that registered itself is known once it has been read.
    await provider.Client.find(clientId);
    const known = interaction.grantId === undefined ? undefined : await provider.Grant.find(interaction.grantId);
    const grant = known ?? new provider.Grant({ accountId, clientId });
    const claims = policies.get(clientId)?.claims;
    grantChoice(grant, interaction, scopes, (claim, by) => claims?.isCovered(claim, by) ?? false);
    const grantId = await grant.save();
    if (remember) await state.consents.remember(accountId, clientId, scopes, consentSeconds(current(), clientId));
    interaction.result = { ...interaction.lastSubmission, consent: { grantId } };
    await interaction.persist();
    resume(deps, interaction, request, response);
    return undefined;
  };
}

/** The client receives `access_denied` (RFC 6749 §4.1.2.1) where the browser goes next. */
async function refuse(
  { current }: FinishDeps,
  flowId: string,
  description: string,
): Promise<{ readonly returnTo: string } | { readonly expired: true }> {
  const interaction = await current().provider.Interaction.find(flowId);
  if (interaction === undefined) return { expired: true };
  interaction.result = { error: "access_denied", error_description: description };
  await interaction.persist();
  return { returnTo: interaction.returnTo };
}

/** Passes the result of sign-in and consent pages to the provider. */
export function createFinish(deps: FinishDeps): FlowEnd & ConsentEnd {
  return {
    finishLogin: createFinishLogin(deps),
    cancelLogin: async (flowId) => {
      const refused = await refuse(deps, flowId, "the user cancelled the sign-in");
      // After a first click the interaction is over, and this path repeats its outcome.
      const over = { redirect: pathTo("authorizeInLanguage", { languageTag: flowId }) };
      return "expired" in refused ? over : { redirect: refused.returnTo };
    },
    finishConsent: createFinishConsent(deps),
    repeatConsent: async (flowId, browser) => {
      const interaction = await deps.current().provider.Interaction.find(flowId);
      if (interaction?.result?.["error"] !== undefined) return { returnTo: interaction.returnTo };
      return (await deps.state.outcomes.wait(flowId, browser)) ?? { expired: true };
    },
    denyConsent: (flowId) => refuse(deps, flowId, "the user denied the request"),
  };
}
