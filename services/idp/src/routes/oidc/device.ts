import { pathTo } from "@postern/shared/contracts";
import type { FastifyReply } from "fastify";
import { browserDigest, csrfToken } from "../../flow/browser-binding.ts";
import { localPath, placeOf } from "../../flow/flow-paths.ts";
import type { FlowEnd } from "../../flow/flow-port.ts";
import type { FlowRecord } from "../../flow/flow-record.ts";
import { meetsDemands } from "../../login/sign-in-demands.ts";
import { type DeviceCodes, type PendingDevice, shownUserCode } from "../../oidc/device/device.ts";
import type { DeviceBrake } from "../../oidc/device/device-brake.ts";
import type { Generation } from "../../oidc/provider/generation.ts";
import { flowClient } from "../../oidc/provider/interaction-url.ts";
import { logoOf } from "../../pages/security-headers.ts";
import type { ConsentScope } from "../../pages/templates/consent.ts";
import {
  deviceCodePage,
  deviceConsentPage,
  deviceFailedPage,
  deviceSuccessPage,
} from "../../pages/templates/device.ts";
import type { BrowserSessionRecord } from "../../sessions/browser-session-port.ts";
import { cookieNames } from "../../sessions/cookies.ts";
import { auditVisit } from "../audit-visit.ts";
import type { LoginDeps } from "../login/deps.ts";
import { type PageRoute, servePage, type VisitHandler } from "../page-routes.ts";
import { admit, hrefIn, lookOf, sendOn, sendProblem, sendShown, sendTo, type Visit } from "../visit.ts";

export interface DeviceDeps
  extends Pick<LoginDeps, "pages" | "gate" | "starts" | "sessions" | "logger" | "audit" | "nowMs"> {
  readonly devices: DeviceCodes;
  readonly brake: Pick<DeviceBrake, "mayGuess">;
  readonly current: () => Generation;
  readonly describe: (flow: FlowRecord, scope: string) => ConsentScope;
}

const verifyPath = pathTo("deviceCodePage");
const consentPath = pathTo("deviceConsentPage");
const failedPath = pathTo("deviceFailedPage");
const successPath = pathTo("deviceSuccessPage");

/** After the sign-in the user must always confirm: the device could be an attacker's (RFC 8628 §5.4). */
export const deviceEnd: FlowEnd = {
  finishLogin: async (flowId) => ({ redirect: localPath(consentPath, undefined, { flow: flowId }) }),
};

interface CodeForm {
  readonly id: string;
  readonly browserToken: string;
  readonly userCode: string;
  readonly problem?: "device.failed" | "mfa.throttled";
}

function actionOf({ path, language }: Visit): string {
  return language === undefined ? path : `${path}/${language.tag}`;
}

function showCode(
  { pages }: DeviceDeps,
  visit: Visit,
  { id, browserToken, userCode, problem }: CodeForm,
): FastifyReply {
  const look = pages.lookOf({
    path: visit.path,
    query: `?${new URLSearchParams({ flow: id }).toString()}`,
    language: visit.language,
    headers: visit.request.headers,
  });
  const view = {
    action: actionOf(visit),
    csrfToken: csrfToken(id, browserToken),
    userCode,
    problem: problem === undefined ? undefined : look.text(problem),
  };
  return sendShown(visit.reply, pages.show(deviceCodePage, view, look));
}

/** `GET /oidc/device/verify`: the form for the code, which the device's link may contain. */
function getVerify(deps: DeviceDeps): VisitHandler {
  return async (visit) => {
    const userCode = (visit.query("user_code") ?? "").slice(0, 32);
    const { request, reply, language } = visit;
    if (visit.query("flow") === undefined) {
      const begun = await deps.starts.startDevice(request.raw, reply.raw, language?.tag);
      return showCode(deps, visit, { ...begun, userCode });
    }
    const passage = await admit(deps, visit, ["code"]);
    if (passage === undefined) return reply;
    return showCode(deps, visit, { id: passage.flow.id, browserToken: passage.browserToken, userCode });
  };
}

function sessionOf({ pages, sessions }: DeviceDeps, { request }: Visit): Promise<BrowserSessionRecord | undefined> {
  const sid = pages.cookies.read(request.headers.cookie, cookieNames.session);
  return sid === undefined ? Promise.resolve(undefined) : sessions.findBySid(sid);
}

/** Continues with the sign-in, or with the consent if the browser is already signed in. */
async function proceed(deps: DeviceDeps, visit: Visit, flow: FlowRecord, device: PendingDevice): Promise<FastifyReply> {
  const { gate, pages, current } = deps;
  const { userCode: deviceKey, clientId, scopes } = device;
  const { policies, settings } = current();
  const policy = policies.get(clientId);
  const client = flowClient(policy?.config, clientId, settings.mfaPolicy);
  const change = { deviceKey, client, missing: { scopes, claims: [], resources: {} } };
  const session = await sessionOf(deps, visit);
  const isEnough =
    session !== undefined &&
    (policy === undefined || meetsDemands(session, policy.demands, Math.floor(deps.nowMs() / 1000)));
  const moved =
    session === undefined || !isEnough
      ? await gate.move(flow, "code_accepted", change)
      : await gate.move(flow, "consent_required", { ...change, sessionUid: session.uid });
  return sendOn(pages, visit, moved === undefined ? undefined : placeOf(moved, visit.language?.tag));
}

/** `POST /oidc/device/verify`: attempts are counted before the code is checked. */
function postVerify(deps: DeviceDeps): VisitHandler {
  return async (visit) => {
    const passage = await admit(deps, visit, ["code"]);
    if (passage === undefined) return visit.reply;
    const { flow, browserToken } = passage;
    const typed = (visit.form.one("user_code") ?? "").trim();
    const again = { id: flow.id, browserToken, userCode: typed.slice(0, 32) };
    const address = visit.request.caller?.clientIp ?? "";
    if (!(await deps.brake.mayGuess(browserDigest(browserToken), address))) {
      deps.logger.warn({ session: visit.request.caller?.session }, "too many user codes entered");
      return showCode(deps, visit, { ...again, problem: "mfa.throttled" });
    }
    const device = await deps.devices.find(typed);
    return device === undefined
      ? showCode(deps, visit, { ...again, problem: "device.failed" })
      : proceed(deps, visit, flow, device);
  };
}

interface PendingConsent {
  readonly flow: FlowRecord;
  readonly session: BrowserSessionRecord;
  readonly browserToken: string;
}

/** The flow in the state `consent`, in the browser that has signed in for it. */
async function atConsent(deps: DeviceDeps, visit: Visit): Promise<PendingConsent | undefined> {
  const passage = await admit(deps, visit, ["ready", "consent"]);
  if (passage === undefined) return undefined;
  const { browserToken } = passage;
  const session = await sessionOf(deps, visit);
  const moved = passage.flow.state === "ready" ? await deps.gate.move(passage.flow, "consent_required") : passage.flow;
  const flow = moved ?? (await deps.gate.reread(passage.flow.id));
  if (flow?.kind !== "device" || flow.state !== "consent" || session === undefined || flow.sessionUid !== session.uid) {
    sendProblem(deps.pages, visit, "expired");
    return undefined;
  }
  return { flow, session, browserToken };
}

function getConsent(deps: DeviceDeps): VisitHandler {
  return async (visit) => {
    const consent = await atConsent(deps, visit);
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
      userCode: shownUserCode(flow.deviceKey ?? ""),
      scopes: (flow.missing?.scopes ?? []).map((scope) => deps.describe(flow, scope)),
    };
    const look = lookOf(deps.pages, visit, flow);
    return sendShown(visit.reply, deps.pages.show(deviceConsentPage, view, look, { imageSources }));
  };
}

function showFailed({ pages }: DeviceDeps, visit: Visit, status: number): FastifyReply {
  const look = lookOf(pages, { ...visit, path: visit.path === failedPath ? failedPath : "" });
  const again = localPath(verifyPath, visit.language?.tag);
  return sendShown(visit.reply, pages.show(deviceFailedPage, { again }, look, { status }));
}

function auditAnswer(
  { audit }: DeviceDeps,
  visit: Visit,
  { flow, session }: PendingConsent,
  outcome: "ok" | "denied",
): void {
  const who = { actor: session.account, target: flow.client?.id };
  auditVisit(audit, visit.request, { event: "consent.give", outcome, ...who });
}

/** `POST /oidc/device/consent`: 302 to the last page, or 403. */
function postConsent(deps: DeviceDeps): VisitHandler {
  const { gate, devices, logger, pages } = deps;
  return async (visit) => {
    const consent = await atConsent(deps, visit);
    if (consent === undefined) return visit.reply;
    const { flow, session } = consent;
    const { deviceKey = "" } = flow;
    const isAllowed = visit.form.one("submit") === "allow";
    if ((await gate.move(flow, isAllowed ? "allowed" : "denied")) === undefined) {
      return sendProblem(pages, visit, "expired");
    }
    auditAnswer(deps, visit, consent, isAllowed ? "ok" : "denied");
    const tag = visit.language?.tag;
    const done = isAllowed ? await devices.allow(deviceKey, session) : await devices.deny(deviceKey);
    const { account } = session;
    logger.info(
      { session: visit.request.caller?.session, account, client: flow.client?.id, isAllowed, done },
      "device",
    );
    if (!isAllowed) return showFailed(deps, visit, 403);
    return sendTo(visit.reply, localPath(done ? successPath : failedPath, tag));
  };
}

function getSuccess({ pages }: DeviceDeps): VisitHandler {
  return async (visit) => sendShown(visit.reply, pages.show(deviceSuccessPage, {}, lookOf(pages, visit)));
}

/** The pages for a device's user (RFC 8628 §3.3): code, sign-in, consent. */
export function deviceRoutes(deps: DeviceDeps): readonly PageRoute[] {
  return [
    servePage("deviceCodePage", getVerify(deps)),
    servePage("verifyDeviceCode", postVerify(deps)),
    servePage("deviceFailedPage", async (visit) => showFailed(deps, visit, 200)),
    servePage("deviceSuccessPage", getSuccess(deps)),
    servePage("deviceConsentPage", getConsent(deps)),
    servePage("deviceConsent", postConsent(deps)),
  ];
}
