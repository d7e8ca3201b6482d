import { pathTo } from "@postern/shared/contracts";
import { clientDefaults } from "@postern/shared/platform/config";
import type { FastifyReply } from "fastify";
import { domainLimit } from "../domains/account-domains.ts";
import { browserDigest, csrfToken } from "../flow/browser-binding.ts";
import { localPath, pageUrlOf } from "../flow/flow-paths.ts";
import { type FlowRecord, otherDomain } from "../flow/flow-record.ts";
import { logoOf } from "../pages/policy-sources.ts";
import { deviceCodePage, deviceConsentPage, deviceFailedPage, deviceSuccessPage } from "../pages/templates/device.ts";
import { demandsOf, meetsDemands, withAnyFactor } from "../second-factors/sign-in-demands.ts";
import type { BrowserSessionRecord } from "../sessions/browser-session.ts";
import type { VisitContext } from "../visit/context.ts";
import { admit, hrefIn } from "../visit/flow-visit.ts";
import { type PageRoute, servePage, type VisitHandler } from "../visit/page-routes.ts";
import { auditVisit, lookOf, sendOn, sendProblem, sendShown, sendTo, sessionOf, type Visit } from "../visit/visit.ts";
import type { ClientPolicy } from "./clients/clients.ts";
import { scopesOf } from "./consent.ts";
import type { OidcContext } from "./context.ts";
import type { PendingDevice } from "./device/device.ts";
import { flowClient } from "./provider/interaction-url.ts";

type Context = VisitContext & { readonly oidc: OidcContext };

function actionOf({ path, language }: Visit): string {
  return language === undefined ? path : `${path}/${language.tag}`;
}

function showCode(
  { pages, oidc }: Context,
  visit: Visit,
  { id, browserToken, userCode }: { readonly id: string; readonly browserToken: string; readonly userCode: string },
  problem?: "device.failed" | "mfa.throttled",
): FastifyReply {
  const look = pages.lookOf({
    path: visit.path,
    query: `?${new URLSearchParams({ flow: id }).toString()}`,
    language: visit.language,
    headers: visit.request.headers,
  });
  const { region } = oidc.devices.userCodes;
  const view = {
    // The form goes to the region of the flow, which need not be the one that the browser has used so far.
    action: region === undefined ? actionOf(visit) : `${actionOf(visit)}?region=${region}`,
    csrfToken: csrfToken(id, browserToken),
    userCode,
    problem: problem === undefined ? undefined : look.text(problem),
  };
  return sendShown(visit.reply, pages.show(deviceCodePage, view, look));
}

const verifyPath = pathTo("deviceCodePage");
const failedPath = pathTo("deviceFailedPage");

/** The page for a device that was denied access. */
function showFailed({ pages }: Context, visit: Visit, status: number): FastifyReply {
  const look = lookOf(pages, { ...visit, path: visit.path === failedPath ? failedPath : "" });
  const again = localPath(verifyPath, visit.language?.tag);
  return sendShown(visit.reply, pages.show(deviceFailedPage, { again }, look, { status }));
}

function isForOthers(
  { domains }: Context,
  { account }: BrowserSessionRecord,
  { client }: FlowRecord,
): Promise<boolean> {
  return domains.isWithin(account, domainLimit(client?.domains ?? [])).then((isWithin) => !isWithin);
}

/** The device's client is not for the domain of the account: the user signs in again with another one. */
async function refuseAccount(
  { gate, pages, audit }: Context,
  visit: Visit,
  { flow, session: { account } }: { readonly flow: FlowRecord; readonly session: BrowserSessionRecord },
): Promise<FastifyReply> {
  const who = { actor: account, account, target: flow.client?.id };
  auditVisit(audit, visit.request, {
    event: "user.login",
    outcome: "denied",
    ...who,
    reason: otherDomain,
    protocol: "oidc",
  });
  const again = await gate.restart(flow, { reasons: [otherDomain] });
  return sendOn(pages, visit, again === undefined ? undefined : pageUrlOf(again, visit.language?.tag), flow);
}

/** The flow in the state `consent`, in the browser that has signed in for it. */
async function atConsent(context: Context, visit: Visit) {
  const passage = await admit(context, visit, ["ready", "consent"]);
  if (passage === undefined) return undefined;
  const { browserToken } = passage;
  const session = await sessionOf(context, visit);
  const moved =
    passage.flow.state === "ready" ? await context.gate.move(passage.flow, "consent_required") : passage.flow;
  const flow = moved ?? (await context.gate.reread(passage.flow.id));
  if (flow?.kind !== "device" || flow.state !== "consent" || session === undefined || flow.sessionUid !== session.uid) {
    sendProblem(context.pages, visit, "expired");
    return undefined;
  }
  if (await isForOthers(context, session, flow)) {
    await refuseAccount(context, visit, { flow, session });
    return undefined;
  }
  return { flow, session, browserToken };
}

/** Whether the session may allow the device access without another sign-in. */
async function isEnoughFor(
  { domains, nowMs }: Context,
  session: BrowserSessionRecord,
  { demands, limit }: Pick<ClientPolicy, "demands" | "limit">,
): Promise<boolean> {
  const { account } = session;
  if (!(await domains.isWithin(account, limit))) return false;
  const isRequired = await domains.requiresFactor(account);
  return meetsDemands(session, isRequired ? withAnyFactor(demands) : demands, Math.floor(nowMs() / 1000));
}

/** Continues with the sign-in, or with the consent if the browser is already signed in. */
async function proceed(context: Context, visit: Visit, flow: FlowRecord, device: PendingDevice): Promise<FastifyReply> {
  const { gate, pages, oidc } = context;
  const { userCode: deviceKey, clientId, scopes, claims } = device;
  // Another replica may have answered the device of a client that registered itself.
  await oidc.registered.load(clientId);
  const { policies, settings } = oidc.current();
  const policy = policies.get(clientId);
  const client = flowClient(policy, clientId, settings.mfaPolicy);
  const change = { deviceKey, client, missing: { scopes, claims, resources: {} } };
  const session = await sessionOf(context, visit);
  // A client that is gone demands nothing itself, but the domain of the account may.
  const needs = policy ?? { demands: demandsOf(clientDefaults, settings.mfaPolicy), limit: domainLimit([]) };
  const isEnough = session !== undefined && (await isEnoughFor(context, session, needs));
  const moved =
    session === undefined || !isEnough
      ? await gate.move(flow, "code_accepted", change)
      : await gate.move(flow, "consent_required", { ...change, sessionUid: session.uid });
  return sendOn(pages, visit, moved === undefined ? undefined : pageUrlOf(moved, visit.language?.tag));
}

/** A code with the name of its region, and some reserve. */
const longestTyped = 48;

/** `POST /oidc/device/verify`: attempts are counted before the code is checked. */
function postVerify(context: Context): VisitHandler {
  return async (visit) => {
    const passage = await admit(context, visit, ["code"]);
    if (passage === undefined) return visit.reply;
    const { flow, browserToken } = passage;
    const typed = (visit.form.one("user_code") ?? "").trim();
    const again = { id: flow.id, browserToken, userCode: typed.slice(0, longestTyped) };
    const { elsewhere } = context.oidc.devices.userCodes.typed(typed);
    if (elsewhere !== undefined) {
      const query = { region: elsewhere, user_code: again.userCode };
      return sendTo(visit.reply, localPath(verifyPath, visit.language?.tag, query));
    }
    const address = visit.request.caller?.clientIp ?? "";
    if (!(await context.oidc.deviceLimits.mayGuess(browserDigest(browserToken), address))) {
      context.logger.warn({ session: visit.request.caller?.session }, "too many user codes entered");
      return showCode(context, visit, again, "mfa.throttled");
    }
    const device = await context.oidc.devices.find(typed);
    return device === undefined
      ? showCode(context, visit, again, "device.failed")
      : proceed(context, visit, flow, device);
  };
}

const successPath = pathTo("deviceSuccessPage");

type PendingConsent = NonNullable<Awaited<ReturnType<typeof atConsent>>>;

function auditAnswer({ audit }: Context, visit: Visit, { flow, session }: PendingConsent, isAllowed: boolean): void {
  const who = { actor: session.account, target: flow.client?.id };
  auditVisit(audit, visit.request, { event: "consent.give", outcome: isAllowed ? "ok" : "denied", ...who });
}

/** Settles the device's request. @returns false if it is no longer waiting */
async function settle(
  { oidc: { devices }, logger }: Context,
  { request }: Visit,
  { flow, session }: PendingConsent,
  isAllowed: boolean,
): Promise<boolean> {
  const { deviceKey = "" } = flow;
  const done = isAllowed ? await devices.allow(deviceKey, session) : await devices.deny(deviceKey);
  const settled = isAllowed ? "access of a device was allowed" : "access of a device was denied";
  logger.info(
    { session: request.caller?.session, account: session.account, client: flow.client?.id, isAllowed, done },
    done ? settled : "the device no longer waits for access",
  );
  return done;
}

/** `POST /oidc/device/consent`: 302 to the last page, or 403. */
function postDeviceConsent(context: Context): VisitHandler {
  const { gate, pages } = context;
  return async (visit) => {
    const consent = await atConsent(context, visit);
    if (consent === undefined) return visit.reply;
    const isAllowed = visit.form.one("submit") === "allow";
    if ((await gate.move(consent.flow, isAllowed ? "allowed" : "denied")) === undefined) {
      return sendProblem(pages, visit, "expired");
    }
    auditAnswer(context, visit, consent, isAllowed);
    const done = await settle(context, visit, consent, isAllowed);
    if (!isAllowed) return showFailed(context, visit, 403);
    return sendTo(visit.reply, localPath(done ? successPath : failedPath, visit.language?.tag));
  };
}

function getDeviceConsent(context: Context): VisitHandler {
  return async (visit) => {
    const consent = await atConsent(context, visit);
    if (consent === undefined) return visit.reply;
    const { flow, session, browserToken } = consent;
    const { logo, imageSources } = logoOf(flow.client?.logoUri);
    const view = {
      action: actionOf(visit),
      csrfToken: csrfToken(flow.id, browserToken),
      client: flow.client?.name ?? flow.client?.id ?? "",
      logo,
      other: hrefIn(pathTo("restartLogin"), visit, flow),
      account: session.displayName ?? session.account,
      userCode: context.oidc.devices.userCodes.shown(flow.deviceKey ?? ""),
      scopes: scopesOf(context.oidc, flow),
    };
    const look = lookOf(context.pages, visit, flow);
    return sendShown(visit.reply, context.pages.show(deviceConsentPage, view, look, { imageSources }));
  };
}

/** `GET /oidc/device/verify`: the form for the code, which the device's link may contain. */
function getVerify(context: Context): VisitHandler {
  return async (visit) => {
    const userCode = (visit.query("user_code") ?? "").slice(0, longestTyped);
    const { request, reply, language } = visit;
    if (visit.query("flow") === undefined) {
      const begun = await context.starts.startDevice(request.raw, reply.raw, language?.tag);
      return showCode(context, visit, { ...begun, userCode });
    }
    const passage = await admit(context, visit, ["code"]);
    if (passage === undefined) return reply;
    return showCode(context, visit, { id: passage.flow.id, browserToken: passage.browserToken, userCode });
  };
}

/** The last pages have the brand of the account that has answered. Without its session, they have that of the site. */
async function recallBrand(context: Context, visit: Visit): Promise<void> {
  if (context.domains.areUsed) await sessionOf(context, visit).catch(() => undefined);
}

function getDeviceFailed(context: Context): VisitHandler {
  return async (visit) => {
    await recallBrand(context, visit);
    return showFailed(context, visit, 200);
  };
}

function getSuccess(context: Context): VisitHandler {
  return async (visit) => {
    await recallBrand(context, visit);
    const { pages } = context;
    return sendShown(visit.reply, pages.show(deviceSuccessPage, {}, lookOf(pages, visit)));
  };
}

/** The pages for a device's user (RFC 8628 §3.3): code, sign-in, consent. */
export function deviceRoutes(context: Context): readonly PageRoute[] {
  return [
    servePage("deviceCodePage", getVerify(context)),
    servePage("verifyDeviceCode", postVerify(context)),
    servePage("deviceFailedPage", getDeviceFailed(context)),
    servePage("deviceSuccessPage", getSuccess(context)),
    servePage("deviceConsentPage", getDeviceConsent(context)),
    servePage("deviceConsent", postDeviceConsent(context)),
  ];
}
