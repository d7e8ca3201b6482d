import { createHash } from "node:crypto";
import type { Notify } from "../user-notifications/notification.ts";
import type { FactorGuard } from "./factor-guard-redis.ts";
import type { FactorProofs, NamedFactor } from "./factor-proofs.ts";
import type { FactorState, FactorStore } from "./factor-store-nats.ts";
import { type ChangePasskeys, createChangePasskeys, removeLonelyCodes } from "./passkeys.ts";
import type { PendingProofs } from "./pending-proofs-redis.ts";
import { newRecoveryCodes } from "./recovery-codes.ts";
import { notificationOf, type Outcome, type Subject } from "./subject.ts";
import { matchTotpAt } from "./totp.ts";
import { newTotpSecret, totpUrl } from "./totp-enrolment.ts";
import type { Ceremonies } from "./webauthn/ceremonies.ts";

export interface SelfServiceDeps {
  readonly store: FactorStore;
  readonly pending: PendingProofs;
  readonly guard: FactorGuard;
  readonly ceremonies: Ceremonies;
  readonly notify: Notify;
  readonly proofs: FactorProofs;
  /** The account's stored secret; undefined if it has none. */
  readonly totpSecret: (account: string, context: Subject["context"]) => Promise<string | undefined>;
  readonly totpIssuer: string;
  readonly totpSkew: number;
  /** What time it may be, see `totpTimes`. */
  readonly totpTimesMs: () => readonly number[];
}

/**
 * What users do with their own factors, on the pages or through JSON. Every method throws AppError on a temporary
 * failure.
 */
export interface SelfService extends ChangePasskeys {
  read(subject: Pick<Subject, "account" | "context">): Promise<FactorState | undefined>;
  /** The pending secret; repeated calls return the same one. */
  totpSetup(subject: Subject): Promise<{ readonly secret: string; readonly url: string }>;
  confirmTotp(subject: Subject, code: string): Promise<Outcome>;
  removeTotp(subject: Subject): Promise<Outcome>;
  /** Creates codes that are stored once the user confirms them. */
  draftCodes(subject: Subject): Promise<{ readonly codes: readonly string[]; readonly set: string }>;
  /** `absent`: these codes were never created, or are already stored. */
  saveCodes(subject: Subject, set: string | undefined): Promise<Outcome>;
  /** Creates codes and stores them immediately. */
  makeCodes(subject: Subject): Promise<readonly string[] | "refused" | "doubted">;
}

const setOf = (codes: readonly string[]): string =>
  createHash("sha256").update(codes.join(" ")).digest("base64url").slice(0, 22);

const maxCodeLength = 32;
const longestName = 64;

export function cleanName(name: string, fallback: string): string {
  const clean = name.replaceAll(/\p{C}/gu, "").trim().slice(0, longestName);
  return clean === "" ? fallback : clean;
}

const recovery: NamedFactor = { kind: "recovery", part: "" };

async function storedTotp(
  { totpSecret }: SelfServiceDeps,
  { account, context }: Subject,
): Promise<readonly NamedFactor[]> {
  const part = await totpSecret(account, context);
  return part === undefined ? [] : [{ kind: "totp", part }];
}

function totpService(deps: SelfServiceDeps): Pick<SelfService, "totpSetup" | "confirmTotp" | "removeTotp"> {
  const { store, pending, guard, notify, proofs, totpIssuer, totpSkew: skew, totpTimesMs } = deps;
  return {
    totpSetup: async ({ account, sessionUid }) => {
      const kept = await pending.find("totp", sessionUid);
      const secret = kept ?? newTotpSecret();
      if (kept === undefined) await pending.put("totp", sessionUid, secret);
      return { secret, url: totpUrl(totpIssuer, account, secret) };
    },
    confirmTotp: async (subject, code) => {
      const { account, sessionUid, context } = subject;
      const stored = await pending.find("totp", sessionUid);
      if (stored === undefined) return "absent";
      if (code.length > maxCodeLength) return "denied";
      if (!(await guard.admitSetup(account))) return "throttled";
      const step = matchTotpAt(totpTimesMs(), { stored, code, skew });
      if (step === undefined || !(await guard.claimTotpStep({ account, stored, step }))) return "denied";
      // It replaces the one that the account has.
      if (!(await proofs.mayRemove(subject, () => storedTotp(deps, subject)))) return "doubted";
      const noted = await proofs.note(subject, { kind: "totp", part: stored });
      if (noted === "refused" || (await store.setTotp(account, stored, context)) !== "done") return "refused";
      await guard.succeeded({ account, method: "totp" });
      await pending.take("totp", sessionUid);
      notify(notificationOf(subject, "factor_added", "totp", noted === "doubted"));
      return "done";
    },
    removeTotp: async (subject) => {
      const { account, context } = subject;
      if (!(await proofs.mayRemove(subject, () => storedTotp(deps, subject)))) return "doubted";
      if ((await store.deleteTotp(account, context)) !== "done") return "refused";
      notify(notificationOf(subject, "factor_removed", "totp"));
      await removeLonelyCodes(store, subject);
      return "done";
    },
  };
}

function codesService(deps: SelfServiceDeps): Pick<SelfService, "draftCodes" | "saveCodes" | "makeCodes"> {
  const { store, pending, guard, notify, proofs } = deps;
  const keep = async (subject: Subject, codes: readonly string[]): Promise<"done" | "refused" | "doubted"> => {
    const { account, context } = subject;
    const hasCodes = async (): Promise<boolean> => ((await store.read(account, context))?.recoveryCodesLeft ?? 0) > 0;
    if (!(await proofs.mayRemove(subject, async () => ((await hasCodes()) ? [recovery] : [])))) return "doubted";
    const noted = await proofs.note(subject, recovery);
    if (noted === "refused" || (await store.setRecoveryCodes(account, codes, context)) !== "done") return "refused";
    // The codes are stored. If Redis fails here, the old count remains, which an operator can reset.
    await guard.replaced(account, "recovery").catch(() => undefined);
    notify(notificationOf(subject, "recovery_codes_made", undefined, noted === "doubted"));
    return "done";
  };
  return {
    draftCodes: async ({ sessionUid }) => {
      const codes = newRecoveryCodes();
      await pending.put("recovery", sessionUid, codes.join(" "));
      return { codes, set: setOf(codes) };
    },
    saveCodes: async (subject, set) => {
      const codes = (await pending.find("recovery", subject.sessionUid))?.split(" ");
      if (codes === undefined || (set !== undefined && set !== setOf(codes))) return "absent";
      const outcome = await keep(subject, codes);
      if (outcome === "done") await pending.take("recovery", subject.sessionUid);
      return outcome;
    },
    makeCodes: async (subject) => {
      const codes = newRecoveryCodes();
      const outcome = await keep(subject, codes);
      return outcome === "done" ? codes : outcome;
    },
  };
}

export function createSelfService(deps: SelfServiceDeps): SelfService {
  const { store } = deps;
  return {
    ...totpService(deps),
    ...codesService(deps),
    ...createChangePasskeys(deps),
    read: ({ account, context }) => store.read(account, context),
  };
}
