import { pathTo } from "@postern/shared/contracts";
import { isFresh } from "../../mfa/freshness.ts";
import { suspiciousSignInsPage } from "../../pages/templates/suspicious-sign-ins.ts";
import type { LoginDeps } from "../login/deps.ts";
import type { VisitHandler } from "../page-routes.ts";
import { lookOf, sendShown } from "../visit.ts";
import { forMember, hasFactor, here, homePath } from "./member.ts";

const isUndefined = (state: unknown): boolean => state === undefined;

/** "Was this you?" */
export function getSuspiciousSignIns(deps: LoginDeps): VisitHandler {
  const { pages, self, suspiciousSignIns, proofs, nowMs } = deps;
  return forMember(deps, async (visit, { session, subject, csrfToken }) => {
    const found = await suspiciousSignIns.list(session.account);
    const isProven = found.length > 0 && (await proofs.ofSession(subject)) !== undefined;
    const isVerified = isFresh(session, true, Math.floor(nowMs() / 1000));
    const canProve = isProven || (found.length > 0 && !isVerified && hasFactor(await self.read(subject)));
    // This is also the page after "No, secure my account", which is shown even if the backend cannot be queried now.
    const isBare = found.length === 0 && (await self.read(subject).then(isUndefined, () => false));
    const signIns = found.map((one) => ({
      atMs: one.minute * 60_000,
      country: one.country,
      client: one.client,
      protocol: one.protocol,
      isRefused: one.isRefused,
      confirm: canProve ? pathTo("confirmSuspiciousSignIn", { id: one.network }) : undefined,
    }));
    const view = {
      action: pathTo("secureAccount"),
      csrfToken,
      signIns,
      factors: found.length > 0 || isBare ? undefined : here(visit, homePath),
      back: here(visit, homePath),
      cancel: undefined,
    };
    return sendShown(visit.reply, pages.show(suspiciousSignInsPage, view, lookOf(pages, visit)));
  });
}
