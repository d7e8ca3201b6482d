import { createHash } from "node:crypto";
import type { RegistrationResponseJSON } from "@simplewebauthn/server";
import type { EngineCall } from "../login/engine-call.ts";
import type {
  Notification,
  NotificationEvent,
  NotificationOrigin,
  Notify,
} from "../user-notifications/notification.ts";
import type { FactorGuard } from "./factor-guard.ts";
import type { FactorState, FactorStore } from "./factor-store.ts";
import type { PendingProofs } from "./pending-proofs.ts";
import { newRecoveryCodes } from "./recovery-codes.ts";
import { matchTotpAt } from "./totp.ts";
import { newTotpSecret, totpUrl } from "./totp-enrolment.ts";
import type { Ceremonies } from "./webauthn/ceremonies.ts";
import { readCredential, renamedCredential } from "./webauthn/stored-credential.ts";

/** The account whose factors are changed, with session and request. */
export interface Subject {
  readonly account: string;
  readonly sessionUid: string;
  readonly context: EngineCall;
  readonly origin: NotificationOrigin;
}

export interface SelfServiceDeps {
  readonly store: FactorStore;
  readonly pending: PendingProofs;
  readonly guard: FactorGuard;
  readonly ceremonies: Ceremonies;
  readonly notify: Notify;
  readonly totpIssuer: string;
  readonly totpSkew: number;
  /** What time it may be, see `totpTimes`. */
  readonly totpTimesMs: () => readonly number[];
}

export type Outcome = "done" | "denied" | "throttled" | "refused" | "absent" | "exists";

/**
 * What users do with their own factors, on the pages or through JSON. Every method throws AppError on a temporary
 * failure.
 */
export interface SelfService {
  read(subject: Pick<Subject, "account" | "context">): Promise<FactorState | undefined>;
  /** The pending secret; repeated calls return the same one. */
  totpSetup(subject: Subject): Promise<{ readonly secret: string; readonly url: string }>;
  confirmTotp(subject: Subject, code: string): Promise<Outcome>;
  removeTotp(subject: Subject): Promise<Outcome>;
  /** Creates codes that are stored once the user confirms them. */
  draftCodes(subject: Subject): Promise<{ readonly codes: readonly string[]; readonly set: string }>;
  /** `absent`: these codes were never created, or are already stored. */
  saveCodes(subject: Subject, set: string | undefined): Promise<Outcome>;
  /** Creates codes and stores them immediately. Undefined: refused. */
  makeCodes(subject: Subject): Promise<readonly string[] | undefined>;
  addPasskey(subject: Subject, response: RegistrationResponseJSON, name: string): Promise<Outcome>;
  renamePasskey(subject: Subject, id: string, name: string): Promise<Outcome>;
  removePasskeys(subject: Subject, id: string | undefined): Promise<Outcome>;
}

/** The user notification about a change. */
export function notificationOf(
  { account, context, origin }: Subject,
  event: NotificationEvent,
  factor?: Notification["factor"],
): Notification {
  return { event, account, session: context.session, origin, ...(factor === undefined ? {} : { factor }) };
}

const setOf = (codes: readonly string[]): string =>
  createHash("sha256").update(codes.join(" ")).digest("base64url").slice(0, 22);

const maxCodeLength = 32;
const changeAttempts = 4;
const longestName = 64;

export function cleanName(name: string, fallback: string): string {
  const clean = name.replaceAll(/\p{C}/gu, "").trim().slice(0, longestName);
  return clean === "" ? fallback : clean;
}

function totpService(deps: SelfServiceDeps): Pick<SelfService, "totpSetup" | "confirmTotp"> {
  const { store, pending, guard, notify, totpIssuer, totpSkew: skew, totpTimesMs } = deps;
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
      const change = await store.setTotp(account, stored, context);
      if (change !== "done") return "refused";
      await guard.succeeded({ account, method: "totp" });
      await pending.take("totp", sessionUid);
      notify(notificationOf(subject, "factor_added", "totp"));
      return "done";
    },
  };
}

function codesService(deps: SelfServiceDeps): Pick<SelfService, "draftCodes" | "saveCodes" | "makeCodes"> {
  const { store, pending, guard, notify } = deps;
  const keep = async (subject: Subject, codes: readonly string[]): Promise<Outcome> => {
    const { account, context } = subject;
    if ((await store.setRecoveryCodes(account, codes, context)) !== "done") return "refused";
    // The codes are stored. If Redis fails here, the old count remains, which an operator can reset.
    await guard.replaced(account, "recovery").catch(() => undefined);
    notify(notificationOf(subject, "recovery_codes_made"));
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
      return (await keep(subject, codes)) === "done" ? codes : undefined;
    },
  };
}

/** Recovery codes replace a factor; without a factor they are removed too. */
async function dropLonelyCodes({ store }: SelfServiceDeps, { account, context }: Subject): Promise<void> {
  const left = await store.read(account, context);
  if (left === undefined || left.hasTotp || left.webauthnCredentials.length > 0) return;
  if (left.recoveryCodesLeft > 0) await store.deleteRecoveryCodes(account, context);
}

function passkeyService(deps: SelfServiceDeps): Pick<SelfService, "addPasskey" | "renamePasskey" | "removePasskeys"> {
  const { store, ceremonies, notify } = deps;
  const found = async ({ account, context }: Subject, id: string | undefined): Promise<readonly string[]> => {
    const texts = (await store.read(account, context))?.webauthnCredentials ?? [];
    return id === undefined ? texts : texts.filter((text) => readCredential(text)?.id === id);
  };
  return {
    addPasskey: async (subject, response, name) => {
      const { account, sessionUid, context } = subject;
      const text = await ceremonies.finishRegistration(sessionUid, response, name);
      if (text === undefined) return "denied";
      const outcome = await store.addCredential(account, text, context);
      if (outcome === "done") notify(notificationOf(subject, "factor_added", "webauthn"));
      return outcome;
    },
    renamePasskey: async (subject, id, name) => {
      // A sign-in or another tab may change it at the same time.
      for (let attempt = 0; attempt < changeAttempts; attempt += 1) {
        const [text] = await found(subject, id);
        if (text === undefined) return "absent";
        const change = { old: text, next: renamedCredential(text, name) };
        const outcome = await store.replaceCredential(subject.account, change, subject.context);
        if (outcome === "done") notify(notificationOf(subject, "factor_renamed", "webauthn"));
        if (outcome !== "conflict") return outcome;
      }
      return "refused";
    },
    removePasskeys: async (subject, id) => {
      const { account, context } = subject;
      let texts = await found(subject, id);
      if (texts.length === 0) return "absent";
      // A concurrent write changes the text: the credential is removed if no text with its id remains.
      for (let attempt = 0; texts.length > 0; attempt += 1) {
        if (attempt >= changeAttempts) return "refused";
        for (const text of texts) {
          if ((await store.deleteCredential(account, text, context)) !== "done") return "refused";
        }
        texts = await found(subject, id);
      }
      notify(notificationOf(subject, "factor_removed", "webauthn"));
      await dropLonelyCodes(deps, subject);
      return "done";
    },
  };
}

export function createSelfService(deps: SelfServiceDeps): SelfService {
  const { store, notify } = deps;
  return {
    ...totpService(deps),
    ...codesService(deps),
    ...passkeyService(deps),
    read: ({ account, context }) => store.read(account, context),
    removeTotp: async (subject) => {
      const { account, context } = subject;
      if ((await store.deleteTotp(account, context)) !== "done") return "refused";
      notify(notificationOf(subject, "factor_removed", "totp"));
      await dropLonelyCodes(deps, subject);
      return "done";
    },
  };
}
