import { pathTo } from "@postern/shared/contracts";
import { localPath } from "../../flow/flow-paths.ts";
import type { VisitHandler } from "../../visit/page-routes.ts";
import { auditVisit, sendProblem, sendTo, type Visit } from "../../visit/visit.ts";
import { atConsent, type PendingConsent } from "./device-consent.ts";
import type { DeviceDeps } from "./show-device-code.ts";
import { failedPath, showFailed } from "./show-device-failed.ts";

const successPath = pathTo("deviceSuccessPage");

function auditAnswer({ audit }: DeviceDeps, visit: Visit, { flow, session }: PendingConsent, isAllowed: boolean): void {
  const who = { actor: session.account, target: flow.client?.id };
  auditVisit(audit, visit.request, { event: "consent.give", outcome: isAllowed ? "ok" : "denied", ...who });
}

/** Settles the device's request. @returns false if it is no longer waiting */
async function settle(
  { devices, logger }: DeviceDeps,
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
export function postConsent(deps: DeviceDeps): VisitHandler {
  const { gate, pages } = deps;
  return async (visit) => {
    const consent = await atConsent(deps, visit);
    if (consent === undefined) return visit.reply;
    const isAllowed = visit.form.one("submit") === "allow";
    if ((await gate.move(consent.flow, isAllowed ? "allowed" : "denied")) === undefined) {
      return sendProblem(pages, visit, "expired");
    }
    auditAnswer(deps, visit, consent, isAllowed);
    const done = await settle(deps, visit, consent, isAllowed);
    if (!isAllowed) return showFailed(deps, visit, 403);
    return sendTo(visit.reply, localPath(done ? successPath : failedPath, visit.language?.tag));
  };
}
