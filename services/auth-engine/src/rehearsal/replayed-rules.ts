import type { AuthDecision } from "@postern/shared/contracts";
import { type Ban, sourceOf } from "@postern/shared/domain/brute-force";
import type { Config } from "@postern/shared/platform/config";
import type { Clock } from "@postern/shared/platform/time";
import { bruteForceSettings, usesBruteForce } from "../brute-force/brute-force-settings.ts";
import { checkBruteForce, countFailure } from "../brute-force/brute-force-steps.ts";
import { createBruteForce } from "../brute-force/create-brute-force.ts";
import { createLocalStore } from "../brute-force/fallback/local-store.ts";
import { createObservingBruteForce } from "../brute-force/observe.ts";
import { createTargets } from "../brute-force/targets.ts";
import { controlSettings } from "../controls/control-settings.ts";
import { createControls, createRelayDomains, createTlsRequired, runControls } from "../controls/controls.ts";
import { refuseDomain } from "../domains/refuse-domain.ts";
import { createMasterUsers } from "../master-user/master-users.ts";
import type { Attempt } from "../pipeline/attempt.ts";
import { denial, type StepContext } from "../pipeline/step.ts";
import type { PolicyFacts } from "../policy/fact-readers.ts";
import { keepSuccess } from "../result-cache/keep-success.ts";
import { masterUserSettings } from "../settings.ts";
import { Counters } from "./counters.ts";
import { createQuietSuccesses } from "./quiet-successes.ts";
import { placeRecorded, recordedDomains } from "./recorded-domains.ts";
import type { SignIns } from "./signed-in.ts";

/** What the log says about one sign-in, for both configurations. */
export interface Recorded {
  readonly attempt: Attempt;
  /** The answer of the backend; undefined if none was asked, or the log does not tell. */
  readonly answer: AuthDecision | undefined;
  /** Decided before anything else, such as a sign-in with an empty password. */
  readonly isFirst: boolean;
  /** Denied because a block list names the client. */
  readonly isListed: boolean;
  /** Whether a backend knows the account; undefined if none was asked. */
  readonly isKnown: boolean | undefined;
  /** A wrong guess of which the log does not say whether it is a repetition. It is not counted. */
  readonly isUncertainGuess: boolean;
  readonly networkGuesses: number;
}

/** The steps of the engine that need no backend, in its order; a test compares the two. */
export const replayedSteps = [checkBruteForce, refuseDomain, runControls] as const;
export const replayedFinalizers = [countFailure, keepSuccess] as const;

/** Sign-ins as two configurations count them together, or those of one. */
interface Replay {
  readonly clock: Clock;
  readonly signIns: SignIns;
}

function createReplayedBruteForce(config: Config, { clock, signIns }: Replay, onBan: (ban: Ban) => void) {
  // The account delay never refuses.
  const settings = { ...bruteForceSettings(config.auth.controls.brute_force), accountDelay: undefined };
  const { repeatWindowMs, maxForgiven } = settings;
  const parts = { ...settings, keyPrefix: "" };
  const counters = new Counters({ clock, repeatWindowMs, maxForgiven, signIns });
  const targetOf = createTargets(settings, parts, remembered);
  const bruteForce = createBruteForce({
    settings,
    targetOf,
    scopesOf: (address) => sourceOf(address, parts)?.scopes ?? [],
    shared: counters,
    // Redis is always available here, so nothing is counted twice.
    local: {
      ...createLocalStore({ clock, sharePercent: 100, repeatWindowMs: 0, maxForgiven: 0 }),
      noteSuccess: () => undefined,
      keepBan: () => undefined,
      bans: 0,
    },
    accountDelays: undefined,
    guard: { isUnavailable: false, run: (ask) => ask() },
    clock,
    deadlineClock: clock,
    // The password of a replayed attempt is what tells one guess from another.
    digest: (_username, password) => password,
    index: () => Promise.resolve(),
    remember: () => Promise.resolve(),
    events: {
      blocked: () => undefined,
      failed: () => undefined,
      banned: (_attempt, ban) => onBan(ban),
      degraded: () => undefined,
    },
  });
  const observed = { refused: () => undefined, delayed: () => undefined };
  return {
    settings,
    counters,
    targetOf,
    repeatWindowMs,
    bruteForce: settings.mode === "enforce" ? bruteForce : createObservingBruteForce(bruteForce, observed),
  };
}

function controlsOf(config: Config) {
  const { cleartextNetworks, relayDomains } = controlSettings(config.auth.controls);
  return [
    ...(cleartextNetworks === undefined ? [] : [createTlsRequired(cleartextNetworks)]),
    ...(relayDomains === undefined ? [] : [createRelayDomains(relayDomains)]),
  ];
}

/** The parts of a configuration on which `ReplayedRules` depend, as one text. */
export function ruleText(config: Config): string {
  return JSON.stringify([config.auth.controls, config.auth.domains, masterUserSettings(config)]);
}

/** Those of one sign-in are needed several times; of a long log, few come back soon. */
const remembered = 16;

const noRead = { read: (attempt: Attempt): Attempt => attempt };
const never = new AbortController().signal;

/** The rules of one configuration, as an engine applies them, with counters of their own. */
export class ReplayedRules {
  /** Networks that each rule banned. */
  readonly bans = new Map<string, number>();
  /** Wrong guesses that these rules would count if the log said whether they are repetitions. */
  uncertain = 0;
  readonly #usesBlockLists: boolean;
  readonly #protection: ReturnType<typeof createReplayedBruteForce> | undefined;
  readonly #deps;
  /** Undefined if every name may be that of a master user, or have rules of its domain. */
  readonly quiet: ReturnType<typeof createQuietSuccesses> | undefined;
  readonly #domains: ReturnType<typeof recordedDomains>;
  readonly #masterUsers: { readonly read: (attempt: Attempt) => Attempt };

  constructor(config: Config, replay: Replay) {
    this.#usesBlockLists = config.auth.controls.enabled.includes("rbl");
    const count = ({ rule }: Ban): void => void this.bans.set(rule, (this.bans.get(rule) ?? 0) + 1);
    this.#protection = usesBruteForce(config) ? createReplayedBruteForce(config, replay, count) : undefined;
    const masterUser = masterUserSettings(config);
    this.#masterUsers = masterUser === undefined ? noRead : createMasterUsers(masterUser, { record: () => undefined });
    const controls = controlsOf(config);
    this.#domains = recordedDomains(config);
    this.quiet =
      masterUser === undefined && this.#domains === undefined
        ? createQuietSuccesses({ protection: this.#protection, controls })
        : undefined;
    this.#deps = {
      bruteForce: this.#protection?.bruteForce,
      controls: controls.length === 0 ? undefined : createControls(controls, () => undefined),
      resultCaches: undefined,
    };
  }

  /** The attempt as the rules of this configuration see it. */
  read(attempt: Attempt): Attempt {
    const own = this.#masterUsers.read(attempt);
    return this.#domains === undefined ? own : placeRecorded(own, this.#domains);
  }

  targetOf(attempt: Attempt): ReturnType<ReturnType<typeof createTargets>>["target"] {
    return this.#protection?.targetOf(this.read(attempt)).target;
  }

  get repeatWindowMs(): number {
    return this.#protection?.repeatWindowMs ?? 0;
  }

  /** Whether the counters had to forget something. */
  get isIncomplete(): boolean {
    return this.#protection?.counters.isIncomplete === true;
  }

  /** The decision of a step before any backend. */
  async #early(attempt: Attempt, context: StepContext<PolicyFacts>): Promise<AuthDecision | undefined> {
    for (const step of replayedSteps) {
      const outcome = step.run(attempt, context, this.#deps);
      const decision = outcome instanceof Promise ? await outcome : outcome;
      if (decision !== undefined) return decision;
    }
    return undefined;
  }

  #answerTo({ domain }: Attempt, recorded: Recorded): Pick<Recorded, "answer" | "isKnown"> {
    if (recorded.isListed && !this.#usesBlockLists) return { answer: undefined, isKnown: undefined };
    // An engine queries no backend about names of a domain that it does not serve.
    return domain?.isKnown === false ? { answer: denial("unknown_user"), isKnown: false } : recorded;
  }

  /** The decision before policies; undefined if only the backend's answer could tell. */
  async decide(recorded: Recorded, facts: PolicyFacts): Promise<AuthDecision | undefined> {
    const attempt = this.read(recorded.attempt);
    const context = { deadline: Number.MAX_SAFE_INTEGER, signal: never, facts };
    const early = recorded.isFirst ? undefined : await this.#early(attempt, context);
    if (early !== undefined) return early;
    const { answer, isKnown } = this.#answerTo(attempt, recorded);
    if (answer === undefined) return undefined;
    if (isKnown !== undefined) facts.accountKnown = isKnown;
    if (recorded.isUncertainGuess && facts.bruteForce?.target !== undefined) {
      this.uncertain += 1;
      delete facts.bruteForce;
    }
    let decision = answer;
    for (const finalizer of replayedFinalizers) {
      const standing = finalizer.run(attempt, decision, context, this.#deps);
      decision = standing instanceof Promise ? await standing : standing;
    }
    if (facts.bruteForce !== undefined) facts.bruteForce.totalPasswordsSeen = recorded.networkGuesses;
    return decision;
  }
}
