import type { AuthDecision } from "@postern/shared/contracts";
import type { Omission } from "@postern/shared/domain/shadow";
import { abortAfter, untilOver } from "@postern/shared/platform/concurrency";
import type { Secret } from "@postern/shared/platform/crypto";
import { AppError } from "@postern/shared/platform/errors";
import type { Clock } from "@postern/shared/platform/time";
import { askBackends, backendQuery } from "../backends/ask-backends.ts";
import type { Backend, BackendContext, BackendQuery } from "../backends/backend.ts";
import type { Attempt } from "../pipeline/attempt.ts";
import type { AccountFacts } from "../pipeline/facts.ts";
import { lookedUpAnswer, oldAnswer, type SideAnswer, verifiedAnswer } from "./answers.ts";
import type { CompareAttributesDeps } from "./attributes.ts";
import { type Comparison, compare, type Factors } from "./compare.ts";
import { readFactorKinds } from "./read-factors.ts";
import type { ComparedAccount } from "./shadow-counter.ts";
import type { ShadowSettings } from "./shadow-settings.ts";

/** A request whose answer was sent. */
interface Waiting {
  readonly query: BackendQuery;
  readonly session: string;
  readonly old: SideAnswer;
  /** Absent unless the backends of the shadow may get it. */
  readonly password: Secret | undefined;
  /** By the steady clock. */
  readonly deadline: number;
  /** The backend that decided; absent unless second factors are compared. */
  readonly decidedBy: string | undefined;
}

export interface ShadowDeps extends CompareAttributesDeps {
  readonly settings: ShadowSettings;
  /** Those of the shadow, which nothing else uses. */
  readonly backends: readonly Backend[];
  /** Those that decide, for their second factors. */
  readonly deciding: () => readonly Backend[];
  /** Steady. */
  readonly clock: Clock;
  /** From 0 to below 1. */
  readonly random: () => number;
  readonly onCompared: (about: ComparedAccount & { readonly session: string }, comparison: Comparison) => void;
  readonly onOmitted: (reason: Omission, protocol: string, error?: AppError) => void;
  readonly onCloseFailure: (error: unknown) => void;
}

interface NewAnswer {
  readonly answer: SideAnswer;
  readonly backend: Backend | undefined;
}

/** Asks as the pipeline does: a backend that does not answer leaves open whether it knows the account. */
async function ask(
  backends: readonly Backend[],
  { query, password }: Pick<Waiting, "query" | "password">,
  context: BackendContext,
): Promise<NewAnswer> {
  const search =
    password === undefined
      ? await askBackends(backends, async (backend) => {
          const outcome = await backend.lookup(query, context);
          // A disabled account must not be looked for in the next backend.
          return outcome.kind === "unknown_user" && outcome.isDisabled === true
            ? { kind: "disabled" as const, answer: lookedUpAnswer(outcome) }
            : { kind: outcome.kind, answer: lookedUpAnswer(outcome) };
        })
      : await askBackends(backends, async (backend) => {
          const outcome = await backend.verify(query, password, context);
          return { kind: outcome.kind, answer: verifiedAnswer(outcome) };
        });
  const { found, unavailable } = search;
  if (unavailable !== undefined && found?.outcome.kind !== "ok") throw unavailable;
  return { answer: found?.outcome.answer ?? { kind: "unknown" }, backend: found?.backend };
}

async function readFactors(
  { query, old, decidedBy }: Waiting,
  { answer, backend }: NewAnswer,
  { context, deciding }: { readonly context: BackendContext; readonly deciding: readonly Backend[] },
): Promise<{ readonly old: Factors; readonly new: Factors }> {
  const decided = decidedBy === undefined ? undefined : deciding.find(({ name }) => name === decidedBy);
  if (decided === undefined || backend === undefined || old.kind !== "known" || answer.kind !== "known")
    return { old: undefined, new: undefined };
  const [before, after] = await Promise.all([
    readFactorKinds(decided, query, context),
    readFactorKinds(backend, query, context),
  ]);
  return { old: before, new: after };
}

/** Which requests are compared. */
function createChoice({ protocols, domains, share }: ShadowSettings, random: () => number) {
  return ({ protocol, username }: Attempt): boolean => {
    if (protocols.size > 0 && !protocols.has(protocol)) return false;
    if (domains.size > 0 && !domains.has(username.slice(username.lastIndexOf("@") + 1).toLowerCase())) return false;
    return share >= 1 || random() < share;
  };
}

/** Whether the backends of the shadow get the password of this request. */
function mayPass({ passwords }: ShadowSettings, { operation }: Attempt, { credential }: AccountFacts, old: SideAnswer) {
  if (operation !== "authenticate" || credential !== "password" || passwords === "none") return false;
  return passwords === "all" || (old.kind === "known" && old.isRight === true);
}

function nameOf(old: SideAnswer, now: SideAnswer, { username }: BackendQuery): string {
  const [before, after] = [old, now].map((answer) => (answer.kind === "known" ? answer.account : undefined));
  return before ?? after ?? username;
}

/**
 * Asks other backends what they would have answered. It runs after the answer was sent, in a bounded queue with a bounded number of
 * requests at a time; what finds no place there is counted and forgotten.
 */
export function createShadow(deps: ShadowDeps) {
  const { settings, backends, clock, onCompared, onOmitted } = deps;
  const isChosen = createChoice(settings, deps.random);
  const queue: Waiting[] = [];
  const running = new Set<Promise<void>>();

  const compareOne = async (waiting: Waiting): Promise<void> => {
    const { deadline, query, old, session } = waiting;
    const timeMs = deadline - clock.now();
    if (timeMs <= 0) {
      onOmitted("dropped", query.protocol);
      return;
    }
    const context = { deadline, signal: abortAfter(Math.ceil(timeMs)) };
    const asked = async () => {
      const now = await ask(backends, waiting, context);
      return { now, factors: await readFactors(waiting, now, { context, deciding: deps.deciding() }) };
    };
    try {
      const { now, factors } = await untilOver(asked(), { context, clock, waitingFor: "the shadow" });
      const { answer } = now;
      const about = {
        account: nameOf(old, answer, query),
        protocol: query.protocol,
        isKnown: old.kind === "known" || answer.kind === "known",
        session,
      };
      onCompared(about, compare(old, answer, factors, deps));
    } catch (error) {
      onOmitted(
        "undecided_new",
        query.protocol,
        error instanceof AppError ? error : new AppError("INTERNAL", { cause: error }),
      );
    }
  };
  const start = (): void => {
    while (running.size < settings.concurrency) {
      const waiting = queue.shift();
      if (waiting === undefined) return;
      const one = compareOne(waiting).finally(() => {
        running.delete(one);
        start();
      });
      running.add(one);
    }
  };
  return {
    /**
     * Compares a request later, or not at all. Never throws and never waits.
     * @param decision of the step that decided, or the temporary failure if none could
     */
    offer: (attempt: Attempt, decision: AuthDecision, facts: AccountFacts): void => {
      if (!isChosen(attempt)) return;
      if (decision.outcome === "tempfail") {
        onOmitted("undecided_old", attempt.protocol);
        return;
      }
      const old = oldAnswer(attempt, decision, facts);
      if (old === undefined) return;
      // With a concurrency above 0, a queue of length 0 still takes what can start at once.
      if (queue.length >= settings.maxQueued && running.size >= settings.concurrency) {
        onOmitted("dropped", attempt.protocol);
        return;
      }
      queue.push({
        query: backendQuery(attempt),
        session: attempt.session,
        old,
        password: mayPass(settings, attempt, facts, old) ? attempt.password : undefined,
        deadline: clock.now() + settings.timeoutMs,
        decidedBy: settings.comparesSecondFactors ? facts.backendName : undefined,
      });
      start();
    },
    /** What waits is forgotten. Resolves when nothing uses the backends any more. */
    close: async (): Promise<void> => {
      for (const { query } of queue.splice(0)) onOmitted("dropped", query.protocol);
      await Promise.all(running);
      await Promise.all(backends.map((backend) => backend.close().catch(deps.onCloseFailure)));
    },
  };
}

export type Shadow = ReturnType<typeof createShadow>;
