import type { AssessedSignIn, RiskSettings } from "@postern/shared/domain/risk";
import { type Account, makeAccount, makeSite } from "./account.ts";
import { type AttackPlan, planAttacks, type Step } from "./attacks.ts";
import { createSimulatedEngine, type SimulatedEngine } from "./engine.ts";
import { type Use, usesOf } from "./habits.ts";
import type { Parameters } from "./parameters.ts";
import { createRandom, type Random } from "./random.ts";
import { type Counts, createTally, type Tally } from "./tally.ts";
import { beginDay } from "./travel.ts";
import { createWorld, type World } from "./world.ts";

export interface Run {
  readonly seed: number;
  readonly accounts: number;
  readonly parameters: Parameters;
  readonly settings: RiskSettings;
  /** Whether the operator has a file of leaked passwords. */
  readonly comparesPasswords: boolean;
}

export interface Outcome {
  readonly run: Run;
  readonly counts: Counts;
  /** Bytes of the values that Redis would hold, in rising order. */
  readonly valueBytes: readonly number[];
}

const hourMinutes = 60;
const dayHours = 24;
/** Detection is on for two weeks before anything is counted. */
const warmUpHours = 14 * dayHours;
const hours = warmUpHours + 28 * dayHours;

interface Simulation {
  readonly run: Run;
  readonly world: World;
  readonly random: Random;
  readonly accounts: readonly Account[];
  readonly plan: AttackPlan;
  readonly engine: SimulatedEngine;
  readonly tally: Tally;
}

function idOf(random: Random): string {
  return Array.from({ length: 22 }, () => random.below(36).toString(36)).join("");
}

function prepare(run: Run): Simulation {
  const { seed, parameters } = run;
  const world = createWorld({ seed, wrongCountry: parameters.wrongCountry, wrongCity: parameters.wrongCity });
  const random = createRandom(seed + 1_000_003);
  const offices = Array.from({ length: Math.ceil((run.accounts * parameters.office) / parameters.officeSize) }, () =>
    makeSite(world, random, {
      country: random.pickWeighted(world.countries.map((one) => ({ one, weight: one.users }))).one,
    }),
  );
  const makers = { world, random, parameters, offices, hours };
  const accounts = Array.from({ length: run.accounts }, () => makeAccount(idOf(random), makers));
  const plan = planAttacks({ world, random, parameters, accounts }, { fromHour: warmUpHours, toHour: hours });
  return { run, world, random, accounts, plan, engine: createSimulatedEngine(run.settings), tally: createTally() };
}

type Where = Pick<AssessedSignIn, "minute" | "protocol" | "client"> & { readonly network: Use["network"] };

function signInOf(account: Account, { network, ...rest }: Where, comparesPasswords: boolean): AssessedSignIn {
  const { credential, hasSecondFactor, isLeaked } = account;
  return {
    ...rest,
    network: network.id,
    place: network.place,
    device: "",
    credential,
    hasSecondFactor,
    isLeaked: comparesPasswords && credential === "password" && isLeaked,
    isFactorNext: rest.protocol === "http" && hasSecondFactor,
  };
}

function use(
  { run, engine, tally }: Simulation,
  account: Account,
  { minute, ...details }: Use & { minute: number },
): void {
  const { network, protocol, client, situation, connections } = details;
  if (details.isMistyped) engine.wrongPassword(account.id, network.id, minute);
  const signIn = signInOf(account, { network, protocol, client, minute }, run.comparesPasswords);
  const [scored] = engine.signIn(account.id, [signIn]);
  const hour = Math.floor(minute / hourMinutes);
  if (scored === undefined || hour < warmUpHours) return;
  if (account.attackedHour !== undefined && hour >= account.attackedHour) tally.besideAttack(scored, connections);
  else tally.honest(scored, { account: account.id, situation, times: connections });
}

function attack({ run, engine, tally }: Simulation, step: Step): void {
  if (step.does === "guess") return engine.wrongPassword(step.account, step.network.id, step.minute);
  const { account } = step.attack;
  const { minute } = step;
  // Who steals a password does not have the app password of a program.
  const stolen: Account = { ...account, credential: "password" };
  const signIns = step.together.map(({ network, protocol, client }) =>
    signInOf(stolen, { network, protocol, client, minute }, run.comparesPasswords),
  );
  for (const scored of engine.signIn(account.id, signIns)) tally.attacker(step.attack, scored);
}

function simulateHour(simulation: Simulation, hour: number): void {
  const { accounts, random, plan, world, run } = simulation;
  const deps = { world, random, parameters: run.parameters };
  const minutes: [account: Account, use: Use][][] = Array.from({ length: hourMinutes }, () => []);
  for (const account of accounts) {
    if (account.beginHour > hour) continue;
    if (hour % dayHours === 0) beginDay(deps, account, hour);
    const uses = usesOf(deps, account, hour);
    if (uses.length === 0) continue;
    const at = minutes[random.below(hourMinutes)];
    // Programs of one user connect at different times.
    for (const one of uses) (random.chance(0.3) ? at : minutes[random.below(hourMinutes)])?.push([account, one]);
  }
  for (const [at, uses] of minutes.entries()) {
    const minute = hour * hourMinutes + at;
    for (const [account, one] of uses) use(simulation, account, { ...one, minute });
    for (const step of plan.steps.get(minute) ?? []) attack(simulation, step);
  }
}

/** Six weeks of a platform, of which the last four count. */
export function simulate(run: Run): Outcome {
  const simulation = prepare(run);
  for (let hour = 0; hour < hours; hour += 1) simulateHour(simulation, hour);
  const valueBytes = simulation.engine.values().map((value) => Buffer.byteLength(value));
  return { run, counts: simulation.tally.counts(), valueBytes: valueBytes.toSorted((a, b) => a - b) };
}
