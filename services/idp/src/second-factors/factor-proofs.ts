import type { Enrolments } from "@postern/shared/domain/enrolments";
import type { BrowserSessionRecord, SignInFactor } from "../sessions/browser-session.ts";
import { isFresh } from "./freshness.ts";
import { type Doubt, isUnderDoubt, proofOf, type SessionFacts, type SuspiciousSignIns } from "./suspicious-sign-ins.ts";
import { readTotpSecret } from "./totp.ts";

/** A factor of an account. `part`: the secret of a TOTP app, or the id of a passkey. */
export type NamedFactor =
  | { readonly kind: "totp" | "webauthn"; readonly part: string }
  | { readonly kind: "recovery"; readonly part: "" };

export interface Enroller {
  readonly account: string;
  readonly signIn: SessionFacts;
}

function isDoubtedSignIn(
  known: Doubt,
  factor: SignInFactor | undefined,
  isSuspicious: boolean,
  nowMs: number,
): boolean {
  const nowSeconds = Math.floor(nowMs / 1000);
  // Engines report a suspicious sign-in a moment after they have decided it.
  const earliest = known.earliest ?? (isSuspicious ? Math.floor(nowSeconds / 60) : undefined);
  const doubt = { ...known, earliest };
  const isProven =
    factor !== undefined &&
    proofOf({ loginTs: nowSeconds, mfaTs: nowSeconds, factor, isDoubted: true }, doubt, nowMs) !== undefined;
  // A user with a doubted factor is as doubted as the one who set it up.
  const isBySuspect = factor !== undefined && factor.since === undefined;
  return !isProven && (isBySuspect || earliest !== undefined);
}

/** What factors and sessions prove about their user. Every method throws AppError `REDIS_UNAVAILABLE` if Redis cannot answer. */
export function createFactorProofs(
  enrolments: Pick<Enrolments, "idOf" | "find" | "note">,
  suspiciousSignIns: Pick<SuspiciousSignIns, "earliestUnanswered" | "knownAfterMinutes">,
  nowMs: () => number,
) {
  const doubtOf = async (account: string): Promise<Doubt> => ({
    earliest: await suspiciousSignIns.earliestUnanswered(account),
    knownAfterMinutes: suspiciousSignIns.knownAfterMinutes(),
  });
  // A backend may return a secret in another form than it was given, such as padded; without its record, it would count as old.
  const idOf = ({ kind, part }: NamedFactor): string =>
    enrolments.idOf(kind, kind === "totp" ? (readTotpSecret(part)?.secret ?? part) : part);
  const find = async (account: string, named: NamedFactor): Promise<SignInFactor> => {
    const id = idOf(named);
    const { minute, isDoubted, isVouched } = await enrolments.find(account, id);
    return { id, isVouched, ...(!isDoubted && { since: minute }) };
  };
  return {
    /** What the session of a sign-in records; `named` is the factor that completes it, if any. */
    ofSignIn: async (
      account: string,
      named: NamedFactor | undefined,
      isSuspicious: boolean,
    ): Promise<Pick<BrowserSessionRecord, "factor" | "isDoubted">> => {
      const [known, factor] = await Promise.all([
        doubtOf(account),
        named === undefined ? undefined : find(account, named),
      ]);
      return { factor, isDoubted: isDoubtedSignIn(known, factor, isSuspicious, nowMs()) };
    },
    /** What the session proves its user with now. */
    ofSession: async ({ account, signIn }: Enroller) => proofOf(signIn, await doubtOf(account), nowMs()),
    /** Records a factor, before it is stored. `refused`: there are too many records. */
    note: async ({ account, signIn }: Enroller, named: NamedFactor): Promise<"sound" | "doubted" | "refused"> => {
      const isDoubted = isUnderDoubt(signIn, await doubtOf(account), nowMs());
      const isShown = isFresh(signIn, true, Math.floor(nowMs() / 1000));
      const isVouched = !isDoubted && isShown && signIn.factor?.isVouched === true;
      const isNoted = await enrolments.note(account, idOf(named), { isDoubted, isVouched });
      if (!isNoted) return "refused";
      return isDoubted ? "doubted" : "sound";
    },
    /** Whether the session may take this factor away: one under suspicion may not remove what was there before. */
    mayRemove: async (
      { account, signIn }: Enroller,
      factors: () => Promise<readonly NamedFactor[]>,
    ): Promise<boolean> => {
      const doubt = await doubtOf(account);
      if (!isUnderDoubt(signIn, doubt, nowMs())) return true;
      const found = await Promise.all((await factors()).map((factor) => find(account, factor)));
      return found.every(
        ({ since }) => since === undefined || (doubt.earliest !== undefined && since >= doubt.earliest),
      );
    },
  };
}

export type FactorProofs = ReturnType<typeof createFactorProofs>;
