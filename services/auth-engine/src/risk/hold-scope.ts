import {
  coversCredential,
  decodeReviews,
  heldBy,
  type ObtainedCredential,
  type RiskSettings,
  type RiskStore,
} from "@postern/shared/domain/risk";
import type { RiskSubjects } from "./risk-subjects.ts";
import type { RiskFacts, ScoredSignIn } from "./sign-in.ts";

export interface HoldScopeDeps {
  readonly settings: () => RiskSettings;
  readonly subjects: Pick<RiskSubjects, "reviewKey">;
  readonly store: Pick<RiskStore, "read">;
}

const unscored = { score: 0, level: "ordinary", ownLevel: "ordinary", signals: [] } as const;

/** What a hold does about sign-ins by app password and token. */
export function createHoldScope({ settings, subjects, store }: HoldScopeDeps) {
  /** Undefined without a hold, and in a network that it does not refuse, so that other sign-ins cost no round trip. */
  const refusalOf = ({ before, signIn }: ScoredSignIn) => heldBy(before, signIn, settings());
  const isCovered = async (own: ScoredSignIn, kind: ObtainedCredential["kind"]): Promise<boolean> => {
    const { subject, before, signIn, credentialSince: since } = own;
    try {
      const value = await store.read(subjects.reviewKey(subject.id));
      const reviews = value === undefined ? undefined : decodeReviews(value);
      const { minute } = signIn;
      return (
        before?.hold !== undefined &&
        coversCredential({ kind, since }, { hold: before.hold, reviews, minute }, settings())
      );
    } catch {
      // Redis became unavailable in between: what is unknown refuses no sign-in.
      return false;
    }
  };
  return {
    /** Undefined, or a promise of it, unless a hold refuses the token. */
    ofToken: (own: ScoredSignIn): Promise<RiskFacts | undefined> | undefined => {
      const refusal = refusalOf(own);
      if (refusal === undefined) return undefined;
      const { mode } = settings();
      const verdict = { responses: new Set<never>(), refusal };
      const found = { ...unscored, isKnown: false, isStrange: false, mode, verdict, scored: own, isRefused: false };
      return isCovered(own, "token").then((covered) => (covered ? found : undefined));
    },
    /** Exempts the sign-in from a hold that does not cover the app password. */
    ofAppPassword: (own: ScoredSignIn): Promise<ScoredSignIn> | ScoredSignIn =>
      refusalOf(own) === undefined
        ? own
        : isCovered(own, "app_password").then((covered) => ({ ...own, isExempt: !covered })),
  };
}
