import { setTimeout } from "node:timers/promises";
import { foldedName } from "@postern/shared/domain/brute-force";
import type { Comparison } from "./comparison.ts";
import { NumberCounts, numberOf, pairOf } from "./number-set.ts";
import type { SignIn } from "./sign-in.ts";
import type { UsualSuccess } from "./usual-success.ts";
import { verdict } from "./verdict.ts";

/** With each of their protocols. Each needs some hundred bytes. */
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

/** Those of the dialects, and what callers send in their place. */
const mostProtocols = 1000;

/** Accounts that signed in, to be looked up in other backends once the sign-ins have been read: once for each protocol. */
export class LookUps {
  /** Sign-ins of accounts of which nobody knows whether the backends know them. */
  undecided = 0;
  /** The first sign-in of each, by account and protocol. */
  readonly #accounts = new Map<number, SignIn>();
  readonly #protocols = new Map<string, number>();
  readonly #counts = new NumberCounts();
  #failures = 0;

  note(signIn: SignIn): void {
    const key = this.#keyOf(numberOf(foldedName(signIn.username)), signIn.protocol);
    if (this.#count(key, signIn.count)) this.#accounts.set(key, signIn);
  }

  /** Notes a success that differs in nothing else. */
  noteUsual(success: UsualSuccess): void {
    const { account, timeMs, protocol, tls } = success;
    const key = this.#keyOf(account, protocol);
    if (!this.#count(key, 1)) return;
    const { clientIp } = success;
    this.#accounts.set(key, {
      timeMs,
      session: copied(success.session),
      dialect: "json",
      operation: "authenticate",
      outcome: "ok",
      reason: "",
      username: copied(success.username),
      protocol: copied(protocol),
      clientIp: clientIp === undefined ? undefined : copied(clientIp),
      tls,
      accountPasswords: undefined,
      networkGuesses: 0,
      count: 1,
    });
  }

  /** Backends may serve an account with one protocol and not with another. */
  #keyOf(account: number, protocol: string): number {
    const known = this.#protocols.get(protocol);
    if (known !== undefined) return pairOf(account, known);
    const number = numberOf(protocol);
    if (this.#protocols.size < mostProtocols) this.#protocols.set(copied(protocol), number);
    return pairOf(account, number);
  }

  /** Counts sign-ins of an account that is looked up, and all others as undecided; true for the first of one that there is room for. */
  #count(key: number, signIns: number): boolean {
    const isFirst = this.#counts.get(key) === 0;
    if (isFirst && this.#accounts.size >= mostAccounts) {
      this.undecided += signIns;
      return false;
    }
    this.#counts.increment(key, signIns);
    return isFirst;
  }

  /** Looks all accounts up; false if it was ended before. Failures of the backends are no differences. */
  async run(comparison: Comparison, { lookUp, perSecond, signal, onProgress }: LookUpOptions): Promise<boolean> {
    const accounts = this.#accounts.entries();
    const intervalMs = 1000 / perSecond;
    let nextMs = 0;
    let done = 0;
    const work = async (): Promise<void> => {
      for (const [account, example] of accounts) {
        const nowMs = performance.now();
        // What a stall missed is not caught up: backends that have just recovered are not asked faster than others.
        const slotMs = Math.max(nowMs, nextMs);
        const waitMs = this.#isGivenUp ? 0 : slotMs - nowMs;
        nextMs = slotMs + intervalMs;
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

  get #isGivenUp(): boolean {
    return this.#failures >= mostFailures;
  }

  async #ask(lookUp: LookUp, signIn: SignIn): Promise<LookedUp> {
    if (this.#isGivenUp) return "undecided";
    const found = await lookUp(signIn);
    this.#failures = found === "undecided" ? this.#failures + 1 : 0;
    return found;
  }

  #judge(comparison: Comparison, signIn: SignIn, found: LookedUp): void {
    if (found === "undecided") this.undecided += signIn.count;
    else if (found !== "known") comparison.addDifferent(signIn, admitted, refused[found]);
  }
}
