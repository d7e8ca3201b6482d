import { remainingMs, type Wait } from "@postern/shared/platform/concurrency";
import type { ServerAddress, Target, TargetSet } from "./target-set.ts";

/** A server has not answered yet, and another one may: the operation continues, but its caller asks the other one. */
export class SlowServerError extends Error {
  constructor(uri: string) {
    super(`no answer yet from ${uri}`);
    this.name = "SlowServerError";
  }
}

/** A sign-in has several operations, and each may meet a server whose host is gone. */
const shareOfTimeLeft = 0.25;

const forever = (): void => undefined;

/** How long one of several servers is waited for. */
export class Patience<Address extends ServerAddress> {
  readonly #targets: TargetSet<Address>;
  readonly #timeMs: number | undefined;

  /** Without a time, nothing ends it. */
  constructor({ targets, patienceMs }: { readonly targets: TargetSet<Address>; readonly patienceMs?: number }) {
    this.#targets = targets;
    this.#timeMs = patienceMs;
  }

  /** Calls `onOver` if another server may do it. The returned function stops that. */
  forOpening(target: Target<Address>, onOver: () => void): () => void {
    return this.#start(target, this.#timeMs, onOver);
  }

  forAnswer(target: Target<Address>, { context, clock }: Wait, onOver: (error: SlowServerError) => void): () => void {
    const timeMs =
      this.#timeMs === undefined
        ? undefined
        : Math.min(this.#timeMs, remainingMs(context.deadline, clock) * shareOfTimeLeft);
    return this.#start(target, timeMs, () => onOver(new SlowServerError(target.address.uri)));
  }

  #start(target: Target<Address>, timeMs: number | undefined, onOver: () => void): () => void {
    if (timeMs === undefined || this.#targets.all.length < 2) return forever;
    const timer = setTimeout(() => this.#targets.hasHealthyBeside(target) && onOver(), timeMs);
    return () => clearTimeout(timer);
  }
}
