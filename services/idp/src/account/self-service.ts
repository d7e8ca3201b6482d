import { createHash, randomInt } from "node:crypto";
import type { SecondFactors } from "../second-factors/context.ts";
import type { NamedFactor } from "../second-factors/factor-proofs.ts";
import { matchTotpAt, newTotpSecret, totpUrl } from "../second-factors/totp.ts";
import { createChangePasskeys, removeLonelyCodes } from "./change-passkeys.ts";
import { type ChangeOutcome, type FactorOwner, notificationOf } from "./factor-owner.ts";

/** Without 0, 1, I, L and O, which are easily confused. */
const letters = "ABCDEFGHJKMNPQRSTUVWXYZ23456789";
const codeCount = 10;

function part(): string {
  return Array.from({ length: 4 }, () => letters[randomInt(letters.length)]).join("");
}

/** Creates ten codes `XXXX-XXXX` of 39 bits each. */
export function newRecoveryCodes(): readonly string[] {
  const codes = new Set<string>();
  while (codes.size < codeCount) codes.add(`${part()}-${part()}`);
  return [...codes];
}

interface SelfServiceDeps
  extends Pick<
    SecondFactors,
    "store" | "pending" | "guard" | "ceremonies" | "notify" | "proofs" | "totpSkew" | "totpTimesMs"
  > {
  readonly totpIssuer: string;
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
  { store }: SelfServiceDeps,
  { account, context }: FactorOwner,
): Promise<readonly NamedFactor[]> {
  const part = await store.totpSecret(account, context);
  return part === undefined ? [] : [{ kind: "totp", part }];
}

function totpService(deps: SelfServiceDeps) {
  const { store, pending, guard, notify, proofs, totpIssuer, totpSkew: skew, totpTimesMs } = deps;
  return {
    /** The pending secret; repeated calls return the same one. */
    totpSetup: async ({ account, sessionUid }: FactorOwner) => {
      const kept = await pending.find("totp", sessionUid);
      const secret = kept ?? newTotpSecret();
      if (kept === undefined) await pending.put("totp", sessionUid, secret);
      return { secret, url: totpUrl(totpIssuer, account, secret) };
    },
    confirmTotp: async (owner: FactorOwner, code: string): Promise<ChangeOutcome> => {
      const { account, sessionUid, context } = owner;
      const stored = await pending.find("totp", sessionUid);
      if (stored === undefined) return "absent";
      if (code.length > maxCodeLength) return "denied";
      if (!(await guard.admitSetup(account))) return "throttled";
      const step = matchTotpAt(totpTimesMs(), { stored, code, skew });
      if (step === undefined || !(await guard.claimTotpStep({ account, stored, step }))) return "denied";
      // It replaces the one that the account has.
      if (!(await proofs.mayRemove(owner, () => storedTotp(deps, owner)))) return "doubted";
      const noted = await proofs.note(owner, { kind: "totp", part: stored });
      if (noted === "refused" || (await store.setTotp(account, stored, context)) !== "done") return "refused";
      await guard.succeeded({ account, method: "totp" });
      await pending.take("totp", sessionUid);
      notify(notificationOf(owner, "factor_added", "totp", noted === "doubted"));
      return "done";
    },
    removeTotp: async (owner: FactorOwner): Promise<ChangeOutcome> => {
      const { account, context } = owner;
      if (!(await proofs.mayRemove(owner, () => storedTotp(deps, owner)))) return "doubted";
      if ((await store.deleteTotp(account, context)) !== "done") return "refused";
      notify(notificationOf(owner, "factor_removed", "totp"));
      await removeLonelyCodes(store, owner);
      return "done";
    },
  };
}

function codesService(deps: SelfServiceDeps) {
  const { store, pending, guard, notify, proofs } = deps;
  const keep = async (owner: FactorOwner, codes: readonly string[]): Promise<"done" | "refused" | "doubted"> => {
    const { account, context } = owner;
    const hasCodes = async (): Promise<boolean> => ((await store.read(account, context))?.recoveryCodesLeft ?? 0) > 0;
    if (!(await proofs.mayRemove(owner, async () => ((await hasCodes()) ? [recovery] : [])))) return "doubted";
    const noted = await proofs.note(owner, recovery);
    if (noted === "refused" || (await store.setRecoveryCodes(account, codes, context)) !== "done") return "refused";
    // The codes are stored. If Redis fails here, the old count remains, which an operator can reset.
    await guard.replaced(account, "recovery").catch(() => undefined);
    notify(notificationOf(owner, "recovery_codes_made", undefined, noted === "doubted"));
    return "done";
  };
  return {
    /** Creates codes that are stored once the user confirms them. */
    draftCodes: async ({ sessionUid }: FactorOwner) => {
      const codes = newRecoveryCodes();
      await pending.put("recovery", sessionUid, codes.join(" "));
      return { codes, set: setOf(codes) };
    },
    /** `absent`: these codes were never created, or are already stored. */
    saveCodes: async (owner: FactorOwner, set: string | undefined): Promise<ChangeOutcome> => {
      const codes = (await pending.find("recovery", owner.sessionUid))?.split(" ");
      if (codes === undefined || (set !== undefined && set !== setOf(codes))) return "absent";
      const outcome = await keep(owner, codes);
      if (outcome === "done") await pending.take("recovery", owner.sessionUid);
      return outcome;
    },
    /** Creates codes and stores them immediately. */
    makeCodes: async (owner: FactorOwner): Promise<readonly string[] | "refused" | "doubted"> => {
      const codes = newRecoveryCodes();
      const outcome = await keep(owner, codes);
      return outcome === "done" ? codes : outcome;
    },
  };
}

/**
 * What users do with their own factors, on the pages or through JSON. Every method throws AppError on a temporary
 * failure.
 */
export function createSelfService(deps: SelfServiceDeps) {
  const { store } = deps;
  return {
    ...totpService(deps),
    ...codesService(deps),
    ...createChangePasskeys(deps),
    read: ({ account, context }: Pick<FactorOwner, "account" | "context">) => store.read(account, context),
  };
}
