import { pathTo } from "@postern/shared/contracts";
import { recentSignInsPage } from "../pages/templates/recent-sign-ins.ts";
import { suspiciousSignInsPage } from "../pages/templates/suspicious-sign-ins.ts";
import { isFresh } from "../second-factors/freshness.ts";
import { auditVisit, deviceDigest, noteDone, sendProblem, sendTo, showPage, type Visit } from "../visit/visit.ts";
import type { AccountContext } from "./context.ts";
import { notificationOf } from "./factor-owner.ts";
import { backTo, hasFactor, here, homePath, type Member, type MemberHandler, stepUp } from "./member.ts";
import { endAccess } from "./session-pages.ts";

const path = pathTo("suspiciousSignInsPage");
const isUndefined = (state: unknown): boolean => state === undefined;

/** `GET /mfa/suspicious-sign-ins`: "Was this you?" */
export const getSuspiciousSignIns: MemberHandler = async (context, visit, { session, owner, csrfToken }) => {
  const { pages, self, suspiciousSignIns, proofs, nowMs } = context;
  const found = await suspiciousSignIns.list(session.account);
  const isProven = found.length > 0 && (await proofs.ofSession(owner)) !== undefined;
  const isVerified = isFresh(session, true, Math.floor(nowMs() / 1000));
  const canProve = isProven || (found.length > 0 && !isVerified && hasFactor(await self.read(owner)));
  // This is also the page after "No, secure my account", which is shown even if the backend cannot be queried now.
  const isBare = found.length === 0 && (await self.read(owner).then(isUndefined, () => false));
  const signIns = found.map(({ minute, country, client, protocol, isRefused, network }) => ({
    atMs: minute * 60_000,
    country,
    client,
    protocol,
    isRefused,
    confirm: canProve ? pathTo("confirmSuspiciousSignIn", { id: network }) : undefined,
  }));
  const view = {
    action: pathTo("secureAccount"),
    csrfToken,
    signIns,
    factors: found.length > 0 || isBare ? undefined : here(visit, homePath),
    ...backTo(visit),
  };
  return showPage(pages, visit, { page: suspiciousSignInsPage, view });
};

/** `GET /mfa/sign-ins`: the recorded sign-ins of the own account. */
export const getRecentSignIns: MemberHandler = async (context, visit, { session: { account }, csrfToken }) => {
  const { pages, recentSignIns, suspiciousSignIns } = context;
  const [found, suspicious] = await Promise.all([recentSignIns(account), suspiciousSignIns.list(account)]);
  const view = {
    action: pathTo("secureAccount"),
    csrfToken,
    signIns: found,
    suspicious: suspicious.length,
    review: here(visit, path),
    ...backTo(visit),
  };
  return showPage(pages, visit, { page: recentSignInsPage, view });
};

/** The password proves nothing, because an attacker has it: a second factor or a session does that is older than the earliest unanswered sign-in. */
export const confirmSignIn: MemberHandler = async (context, visit, member) => {
  const { pages, self, audit, suspiciousSignIns, proofs, nowMs } = context;
  const { session, owner } = member;
  const { account } = session;
  const id = visit.param("id") ?? "";
  const found = (await suspiciousSignIns.list(account)).find((one) => one.network === id);
  if (found === undefined) return sendTo(visit.reply, here(visit, path));
  const confirm = async (method: string) => {
    if (await suspiciousSignIns.confirm(account, id, deviceDigest(pages, visit))) {
      const line = { event: "risk.confirm", outcome: "ok", actor: account, target: account, method } as const;
      auditVisit(audit, visit.request, line);
      noteDone(pages, visit, "sign_in_confirmed");
    }
    return sendTo(visit.reply, here(visit, path));
  };
  const proof = await proofs.ofSession(owner);
  if (proof !== undefined) return confirm(proof);
  // A factor that was verified recently and proves nothing is too new; another one may be older.
  const state = await self.read(owner);
  if (!hasFactor(state) || isFresh(session, true, Math.floor(nowMs() / 1000))) {
    return sendProblem(pages, visit, "doubted", { href: path });
  }
  return stepUp(context, visit, member, here(visit, path));
};

async function revokeAppPasswords({ self, store, notify }: AccountContext, { owner }: Member): Promise<void> {
  const { account, context } = owner;
  const state = await self.read(owner);
  if (state === undefined || state.appPasswords === 0) return;
  for (const { id } of await store.appPasswords(account, context)) {
    if ((await store.revokeAppPassword(account, id, context)) === "done") {
      notify(notificationOf(owner, "app_password_deleted"));
    }
  }
}

async function disconnectAll({ applications, audit }: AccountContext, visit: Visit, account: string): Promise<void> {
  for (const id of (await applications?.disconnectAll(account)) ?? []) {
    auditVisit(audit, visit.request, { event: "consent.revoke", outcome: "ok", actor: account, target: id });
  }
}

/** "It wasn't me": ends everything that an attacker obtained with the password. The password itself stays; the page links to the one that changes it. */
export const secureAccount: MemberHandler = async (context, visit, member) => {
  const { pages, audit, suspiciousSignIns, deviceMemory, lostPhoneCodes } = context;
  const { account } = member.session;
  await Promise.all([deviceMemory.forgetAll(account), lostPhoneCodes.forget(account)]);
  await endAccess(context, visit, member.session);
  await disconnectAll(context, visit, account);
  await revokeAppPasswords(context, member);
  // Last: after a failure, the user finds the sign-ins here again, and repeats it.
  await suspiciousSignIns.reject(account);
  auditVisit(audit, visit.request, { event: "risk.reject", outcome: "ok", actor: account, target: account });
  noteDone(pages, visit, "account_secured");
  return sendTo(visit.reply, here(visit, path));
};
