import { riskSignals } from "@postern/shared/domain/risk";
import { attackKinds } from "./attacks.ts";
import type { Outcome } from "./simulate.ts";
import type { AttackCounts, HonestCounts } from "./tally.ts";
import { situations } from "./whereabouts.ts";

/** Redis: the key, its expiry and its entries in two tables, beside the value. */
const redisBytesPerKey = 200;
const million = 1e6;

const percent = (part: number, whole: number): string => (whole === 0 ? "–" : `${((100 * part) / whole).toFixed(1)} %`);
const perTenThousand = (part: number, whole: number): string =>
  whole === 0 ? "–" : ((10_000 * part) / whole).toFixed(2);

const line = (cells: readonly (string | number)[]): string => `| ${cells.join(" | ")} |`;

function table(head: readonly string[], rows: readonly (readonly (string | number)[])[]): string {
  return [line(head), `|${"---|".repeat(head.length)}`, ...rows.map(line)].join("\n");
}

/** The kinds are equally frequent. */
function allAttacks({ counts }: Outcome): AttackCounts {
  const sum = { attacks: 0, noticed: 0, dangerous: 0, stopped: 0, accepted: 0 };
  for (const kind of attackKinds) {
    const one = counts.attacks[kind];
    sum.attacks += one.attacks;
    sum.noticed += one.noticed;
    sum.dangerous += one.dangerous;
    sum.stopped += one.stopped;
    sum.accepted += one.accepted;
  }
  return sum;
}

const attackRow = (name: string, one: AttackCounts): readonly (string | number)[] => [
  name,
  one.attacks,
  percent(one.noticed, one.attacks),
  percent(one.dangerous, one.attacks),
  percent(one.stopped, one.attacks),
  one.attacks === 0 ? "–" : (one.accepted / one.attacks).toFixed(1),
];

const honestRow = (name: string, one: HonestCounts): readonly (string | number)[] => [
  name,
  one.signIns,
  perTenThousand(one.suspicious, one.signIns),
  perTenThousand(one.dangerous, one.signIns),
  perTenThousand(one.refused, one.signIns),
  perTenThousand(one.held, one.signIns),
];

function attackTable(outcome: Outcome): string {
  return table(
    ["Attack", "Accounts", "Noticed", "Dangerous", "Submission refused", "Accepted SMTP sign-ins, of 9"],
    [
      ...attackKinds.map((kind) => attackRow(kind, outcome.counts.attacks[kind])),
      attackRow("all", allAttacks(outcome)),
    ],
  );
}

function signalTable({ counts }: Outcome): string {
  const rows = riskSignals.map((signal) => [
    `\`${signal}\``,
    ...attackKinds.map((kind) => percent(counts.attackSignals[kind][signal], counts.attacks[kind].attacks)),
    perTenThousand(counts.honestSignals[signal], counts.honest.signIns),
  ]);
  return table(["Signal", ...attackKinds, "Honest, per 10,000"], rows);
}

function honestTable({ counts }: Outcome): string {
  return table(
    ["Honest sign-ins", "Number", "Suspicious, per 10,000", "Dangerous", "Refused", "Refused only by an earlier hold"],
    [
      ...situations.map((situation) => honestRow(situation, counts.bySituation[situation])),
      honestRow("all", counts.honest),
      honestRow("users with a stolen password", counts.beside),
    ],
  );
}

const meanBytes = ({ valueBytes }: Outcome): number =>
  valueBytes.reduce((sum, one) => sum + one, 0) / Math.max(1, valueBytes.length);

/** Memory of Redis for a million accounts. */
export const gigabytesForAMillion = (outcome: Outcome): number =>
  ((meanBytes(outcome) + redisBytesPerKey) * million) / 1e9;

function memoryLine(outcome: Outcome): string {
  const { valueBytes } = outcome;
  const mean = meanBytes(outcome);
  const percentile = valueBytes[Math.floor(valueBytes.length * 0.99)] ?? 0;
  const gigabytes = gigabytesForAMillion(outcome);
  return `Memory: a value has ${Math.round(mean)} bytes on average, ${percentile} in the 99th percentile and ${valueBytes.at(-1) ?? 0} at most; with ${redisBytesPerKey} bytes of Redis for the key, a million accounts take ${gigabytes.toFixed(2)} GB.`;
}

export function report(outcome: Outcome): string {
  const { run, counts } = outcome;
  const { accounts } = run;
  return [
    `Seed ${run.seed}, ${accounts} accounts, parameters \`${run.parameters.name}\`, ${run.comparesPasswords ? "with" : "without"} a file of leaked passwords.`,
    attackTable(outcome),
    honestTable(outcome),
    `In four weeks, ${percent(counts.suspectedAccounts, accounts)} of the users had a suspicious sign-in of their own, and ${percent(counts.refusedAccounts, accounts)} were refused at least once.`,
    signalTable(outcome),
    memoryLine(outcome),
  ].join("\n\n");
}
