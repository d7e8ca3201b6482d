import type { AddressPlace, AttackSituation } from "@postern/shared/contracts";
import type { ReadDay, TenMinutes } from "@postern/shared/domain/rollups";
import { englishOf, sentence } from "../../texts/messages.ts";
import { momentText } from "../search/phrases.ts";

/** docs/operate/console.md, Are we under attack, says the same. */
const rules = {
  /** Refusals in ten minutes. */
  leastRefused: 100,
  timesUsual: 5,
  leastShare: 0.05,
  /** Accounts or networks; fewer are rather a program with an old password. */
  leastSources: 5,
  /** Part of the usual successes; with fewer, it is rather a fault. */
  leastAdmitted: 0.5,
  /** Ten minutes without much in between. */
  maxGap: 3,
} as const;

export type Day = Awaited<ReturnType<ReadDay>>;

/** A time in which unusually much was refused, until now. */
export interface Surge {
  readonly sinceMs: number;
  readonly admitted: number;
  readonly refused: number;
  /** Part of the usual number of successes, of ten minutes that are over; undefined if nothing is usual. */
  readonly admittedOfUsual: number | undefined;
}

function median(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? 0;
}

const sumOf = (steps: readonly TenMinutes[], of: "admitted" | "refused"): number =>
  steps.reduce((sum, step) => sum + step[of], 0);

/** What is usual at a time: the same hour of the week before, otherwise the median of the day. */
function usualOf({ steps, weekBefore }: Day) {
  const middle = {
    admitted: median(steps.map((step) => step.admitted)),
    refused: median(steps.map((step) => step.refused)),
  };
  return (timeMs: number) => weekBefore(timeMs) ?? middle;
}

/** Position of the step with which the surge began; undefined if there is none now. */
function beginOf(steps: readonly TenMinutes[], isMuch: (step: TenMinutes) => boolean): number | undefined {
  let begin: number | undefined;
  // The last ten minutes have only begun.
  let gap = rules.maxGap - 1;
  for (let index = steps.length - 1; index >= 0 && gap <= rules.maxGap; index -= 1) {
    const step = steps[index];
    if (step !== undefined && isMuch(step)) [begin, gap] = [index, 0];
    else gap += 1;
  }
  return begin;
}

/** Undefined while refusals are as usual. */
export function surgeIn(day: Day): Surge | undefined {
  const { steps } = day;
  const usual = usualOf(day);
  const begin = beginOf(steps, ({ timeMs, admitted, refused }) => {
    const least = Math.max(rules.leastRefused, rules.timesUsual * usual(timeMs).refused);
    return refused >= least && refused >= rules.leastShare * (admitted + refused);
  });
  if (begin === undefined) return undefined;
  const found = steps.slice(begin);
  const over = found.slice(0, -1);
  const usualAdmitted = over.reduce((sum, { timeMs }) => sum + usual(timeMs).admitted, 0);
  return {
    sinceMs: found[0]?.timeMs ?? 0,
    admitted: sumOf(found, "admitted"),
    refused: sumOf(found, "refused"),
    admittedOfUsual: usualAdmitted > 0 ? sumOf(over, "admitted") / usualAdmitted : undefined,
  };
}

/** A network that sent wrong passwords, and where it is. */
export interface Attacker {
  readonly network: string;
  /** Failures and refusals. */
  readonly attempts: number;
  readonly place: AddressPlace;
}

export interface AttackFacts {
  readonly surge: Surge | undefined;
  /** Accounts for which wrong passwords were sent since the begin. */
  readonly accounts: number;
  readonly attackers: readonly Attacker[];
  /** Accounts whose sign-ins are delayed. */
  readonly delayed: number;
  readonly nowMs: number;
}

/** What most attempts have in common. */
function shared<Name extends string | number>(
  attackers: readonly Attacker[],
  nameOf: (place: AddressPlace) => Name | undefined,
) {
  const all = attackers.reduce((sum, { attempts }) => sum + attempts, 0);
  const groups = Map.groupBy(attackers, ({ place }) => nameOf(place));
  const found = [...groups].map(([name, of]) => ({
    name,
    of,
    attempts: of.reduce((sum, one) => sum + one.attempts, 0),
  }));
  const [first] = found.toSorted((one, other) => other.attempts - one.attempts);
  return first?.name === undefined || first.attempts * 2 < all ? undefined : { name: first.name, networks: first.of };
}

const systemText = ({ system = 0, owner = "" }: AddressPlace): string =>
  owner === "" ? `AS${system}` : `AS${system} ${owner}`;

/** Where most attempts come from: the country and the network owner, or the network itself. */
function origin(attackers: readonly Attacker[]) {
  const { length: all } = attackers;
  const country = shared(attackers, (place) => place.country);
  const system = shared(attackers, (place) => place.system);
  const owner = system && systemText(system.networks[0]?.place ?? {});
  if (country !== undefined && system !== undefined && owner !== undefined)
    return sentence("attack.from_both", { country: country.name, system: owner, part: system.networks.length, all });
  if (country !== undefined)
    return sentence("attack.from_country", { country: country.name, part: country.networks.length, all });
  if (system !== undefined && owner !== undefined)
    return sentence("attack.from_system", { system: owner, part: system.networks.length, all });
  const one = shared(
    attackers.map((attacker) => ({ ...attacker, place: { owner: attacker.network } })),
    (place) => place.owner,
  );
  return one && sentence("attack.from_network", { network: one.name });
}

type Judged = Pick<AttackSituation, "state" | "sentences">;

function surging({ surge, accounts, attackers, nowMs }: AttackFacts & { readonly surge: Surge }): Judged {
  const { sinceMs, admitted, refused, admittedOfUsual = 1 } = surge;
  const numbers = {
    since: momentText(new Date(sinceMs).toISOString(), nowMs),
    share: refused / (admitted + refused),
    count: admitted + refused,
  };
  const tried = { accounts, networks: attackers.length };
  if (admittedOfUsual < rules.leastAdmitted)
    return {
      state: "refusals",
      sentences: [sentence("attack.refusals", numbers), sentence("attack.fault", { share: admittedOfUsual })],
    };
  if (Math.max(accounts, attackers.length) < rules.leastSources)
    return { state: "refusals", sentences: [sentence("attack.refusals", numbers), sentence("attack.few", tried)] };
  const from = origin(attackers);
  return {
    state: "attack",
    sentences: [
      sentence("attack.on", numbers),
      sentence(attackers.length === 0 ? "attack.tried" : "attack.tried_from", tried),
      ...(from === undefined ? [] : [from]),
    ],
  };
}

/** Whether the site is attacked, since when and from where. */
export function judgeAttack(facts: AttackFacts): AttackSituation {
  const { surge, delayed } = facts;
  const guessing: Judged =
    delayed < rules.leastSources
      ? { state: "quiet", sentences: [] }
      : { state: "guessing", sentences: [sentence("attack.guessing", { accounts: delayed })] };
  const judged = surge === undefined ? guessing : surging({ ...facts, surge });
  return {
    ...judged,
    verdict: englishOf(judged.sentences),
    ...(surge !== undefined && { since: new Date(surge.sinceMs).toISOString() }),
  };
}
