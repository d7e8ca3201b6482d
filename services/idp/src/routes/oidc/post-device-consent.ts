import { pathTo } from "@postern/shared/contracts";
import { localPath } from "../../flow/flow-paths.ts";
import { auditVisit } from "../audit-visit.ts";
import type { VisitHandler } from "../page-routes.ts";
import { sendProblem, sendTo, type Visit } from "../visit.ts";
import { atConsent, type PendingConsent } from "./device-consent.ts";
import type { DeviceDeps } from "./show-device-code.ts";
import { failedPath, showFailed } from "./show-device-failed.ts";

const successPath = pathTo("deviceSuccessPage");

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
export function postConsent(deps: DeviceDeps): VisitHandler {
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
      isAllowed ? "access of a device was allowed" : "access of a device was denied",
    );
    if (!isAllowed) return showFailed(deps, visit, 403);
    return sendTo(visit.reply, localPath(done ? successPath : failedPath, tag));
  };
}
