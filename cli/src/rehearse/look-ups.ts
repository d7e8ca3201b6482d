import { setTimeout } from "node:timers/promises";
import { foldedName } from "@postern/shared/domain/brute-force";
import type { Comparison } from "./comparison.ts";
import { NumberCounts, numberOf } from "./number-set.ts";
import type { SignIn } from "./sign-in.ts";
import type { UsualSuccess } from "./usual-success.ts";
import { verdict } from "./verdict.ts";

/** Each needs some hundred bytes. */
const mostAccounts = 200_000;
const atATime = 8;
/** Backends that fail so often in a row are not asked again. */
const mostFailures = 50;

/** What the backends of the changed configuration say about an account. */
export type LookedUp = "known" | "unknown" | "disabled" | "undecided";

/** Looks an account up without its password. Never rejects. */
export type LookUp = (account: Pick<SignIn, "username" | "protocol" | "clientIp">) => Promise<LookedUp>;

interface LookUpOptions {
  readonly lookUp: LookUp;
  readonly perSecond: number;
  readonly signal: AbortSignal;
  readonly onProgress: (done: number, all: number) => void;
}

const admitted = verdict("admitted", "");
const refused = {
  unknown: verdict("refused", "unknown in the new backends"),
  disabled: verdict("refused", "disabled in the new backends"),
} as const;

/** A text of its own: a part of the log would keep the whole part of which it is one. */
const copied = (text: string): string => Buffer.from(text).toString();

/** Accounts that signed in, to be looked up in other backends once the sign-ins have been read. */
export class LookUps {
  /** Sign-ins of accounts of which nobody knows whether the backends know them. */
  undecided = 0;
  /** The first sign-in of each. */
  readonly #accounts = new Map<number, SignIn>();
  readonly #counts = new NumberCounts();
  #failures = 0;

  note(signIn: SignIn): void {
    const account = numberOf(foldedName(signIn.username));
    if (this.#counts.increment(account, signIn.count) === signIn.count) this.#add(account, signIn);
  }

  /** Notes a success that differs in nothing else. */
  noteUsual(success: UsualSuccess): void {
    const { account, timeMs, protocol, tls } = success;
    if (this.#counts.increment(account) > 1) return;
    const { clientIp } = success;
    this.#add(account, {
      timeMs,
      session: copied(success.session),
      dialect: "json",
      operation: "authenticate",
      outcome: "ok",
      reason: "",
      username: copied(success.username),
      protocol,
      clientIp: clientIp === undefined ? undefined : copied(clientIp),
      tls,
      accountPasswords: undefined,
      networkGuesses: 0,
      count: 1,
    });
  }

  #add(account: number, signIn: SignIn): void {
    if (this.#accounts.size < mostAccounts) this.#accounts.set(account, signIn);
    else this.undecided += signIn.count;
  }

  /** Looks all accounts up; false if it was ended before. Failures of the backends are no differences. */
  async run(comparison: Comparison, { lookUp, perSecond, signal, onProgress }: LookUpOptions): Promise<boolean> {
    const accounts = this.#accounts.entries();
    const startedMs = performance.now();
    let begun = 0;
    let done = 0;
    const work = async (): Promise<void> => {
      for (const [account, example] of accounts) {
        const waitMs = startedMs + (begun * 1000) / perSecond - performance.now();
        begun += 1;
        // The accounts of one worker follow each other.
        // oxlint-disable-next-line no-await-in-loop
        if (waitMs > 0) await setTimeout(waitMs, undefined, { signal }).catch(() => undefined);
        const signIn = { ...example, count: this.#counts.get(account) };
        // oxlint-disable-next-line no-await-in-loop
        this.#judge(comparison, signIn, signal.aborted ? "undecided" : await this.#ask(lookUp, signIn));
        done += 1;
        onProgress(done, this.#accounts.size);
      }
    };
    await Promise.all(Array.from({ length: atATime }, work));
    return !signal.aborted;
  }

  async #ask(lookUp: LookUp, signIn: SignIn): Promise<LookedUp> {
    if (this.#failures >= mostFailures) return "undecided";
    const found = await lookUp(signIn);
    this.#failures = found === "undecided" ? this.#failures + 1 : 0;
    return found;
  }

  #judge(comparison: Comparison, signIn: SignIn, found: LookedUp): void {
    if (found === "undecided") this.undecided += signIn.count;
    else if (found !== "known") comparison.addDifferent(signIn, admitted, refused[found]);
  }
}
