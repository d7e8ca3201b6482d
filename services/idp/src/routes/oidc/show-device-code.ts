import type { FastifyReply } from "fastify";
import { csrfToken } from "../../flow/browser-binding.ts";
import type { FlowRecord } from "../../flow/flow-record.ts";
import type { DeviceCodes } from "../../oidc/device/device.ts";
import type { DeviceLimits } from "../../oidc/device/device-limits-redis.ts";
import type { Generation } from "../../oidc/provider/generation.ts";
import type { ConsentScope } from "../../pages/templates/consent.ts";
import { deviceCodePage } from "../../pages/templates/device.ts";
import type { VisitContext as LoginDeps } from "../../visit/context.ts";
import { sendShown, type Visit } from "../../visit/visit.ts";

export interface DeviceDeps
  extends Pick<LoginDeps, "pages" | "gate" | "starts" | "sessions" | "logger" | "audit" | "nowMs"> {
  readonly devices: DeviceCodes;
  readonly deviceLimits: Pick<DeviceLimits, "mayGuess">;
  readonly current: () => Generation;
  readonly describe: (flow: FlowRecord, scope: string) => ConsentScope;
  readonly scopesOfClaims: (flow: FlowRecord) => readonly string[];
}

interface CodeForm {
  readonly id: string;
  readonly browserToken: string;
  readonly userCode: string;
  readonly problem?: "device.failed" | "mfa.throttled";
}

export function actionOf({ path, language }: Visit): string {
  return language === undefined ? path : `${path}/${language.tag}`;
}

export function showCode(
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
