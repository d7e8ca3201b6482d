import type { FastifyReply } from "fastify";
import { browserDigest } from "../../flow/browser-binding.ts";
import { pageUrlOf } from "../../flow/flow-paths.ts";
import type { FlowRecord } from "../../flow/flow-record.ts";
import type { PendingDevice } from "../../oidc/device/device.ts";
import { flowClient } from "../../oidc/provider/interaction-url.ts";
import { meetsDemands } from "../../second-factors/sign-in-demands.ts";
import { admit } from "../../visit/flow-visit.ts";
import type { VisitHandler } from "../../visit/page-routes.ts";
import { sendOn, sessionOf, type Visit } from "../../visit/visit.ts";
import { type DeviceDeps, showCode } from "./show-device-code.ts";

/** Continues with the sign-in, or with the consent if the browser is already signed in. */
async function proceed(deps: DeviceDeps, visit: Visit, flow: FlowRecord, device: PendingDevice): Promise<FastifyReply> {
  const { gate, pages, current } = deps;
  const { userCode: deviceKey, clientId, scopes, claims } = device;
  const { policies, settings } = current();
  const policy = policies.get(clientId);
  const client = flowClient(policy, clientId, settings.mfaPolicy);
  const change = { deviceKey, client, missing: { scopes, claims, resources: {} } };
  const session = await sessionOf(deps, visit);
  const isEnough =
    session !== undefined &&
    (policy === undefined || meetsDemands(session, policy.demands, Math.floor(deps.nowMs() / 1000)));
  const moved =
    session === undefined || !isEnough
      ? await gate.move(flow, "code_accepted", change)
      : await gate.move(flow, "consent_required", { ...change, sessionUid: session.uid });
  return sendOn(pages, visit, moved === undefined ? undefined : pageUrlOf(moved, visit.language?.tag));
}

/** `POST /oidc/device/verify`: attempts are counted before the code is checked. */
export function postVerify(deps: DeviceDeps): VisitHandler {
  return async (visit) => {
    const passage = await admit(deps, visit, ["code"]);
    if (passage === undefined) return visit.reply;
    const { flow, browserToken } = passage;
    const typed = (visit.form.one("user_code") ?? "").trim();
    const again = { id: flow.id, browserToken, userCode: typed.slice(0, 32) };
    const address = visit.request.caller?.clientIp ?? "";
    if (!(await deps.deviceLimits.mayGuess(browserDigest(browserToken), address))) {
      deps.logger.warn({ session: visit.request.caller?.session }, "too many user codes entered");
      return showCode(deps, visit, { ...again, problem: "mfa.throttled" });
    }
    const device = await deps.devices.find(typed);
    return device === undefined
      ? showCode(deps, visit, { ...again, problem: "device.failed" })
      : proceed(deps, visit, flow, device);
  };
}
