import { addedTo, type Figure } from "../measure/added.ts";
import type { Row, RowId } from "../measure/row.ts";
import { factsTarget, featureTargets } from "./feature-targets.ts";
import { consoleTargets, managementTargets } from "./management-targets.ts";
import { enduranceTargets, loadedLimitOf } from "./memory-targets.ts";
import { oneProcessTargets } from "./one-process-targets.ts";
import { type Results, rowOf } from "./results.ts";
import { revisionTargets } from "./revision-targets.ts";
import { judged, type Target } from "./target.ts";

function ratio(results: Results, pick: (row: Row) => number, above: RowId, below: RowId): number | undefined {
  const [a, b] = [rowOf(results, above), rowOf(results, below)];
  return a === undefined || b === undefined ? undefined : pick(a) / pick(b);
}

type Comparison = "times" | "rate";

const ofRow: Readonly<Record<Comparison, (row: Row) => number>> = {
  times: ({ cpuMicros }) => cpuMicros.total,
  rate: ({ requestsPerSecond }) => requestsPerSecond,
};

/** Round by round if both were measured in turn; otherwise from their median windows. */
function inTurn(results: Results, what: Comparison, above: RowId, below: RowId): number | Figure | undefined {
  const [row, base] = [rowOf(results, above), rowOf(results, below)];
  if (row?.added?.to === below) return row.added[what];
  if (row?.turns !== undefined && row.turns.of === base?.turns?.of)
    return addedTo(base.turns.windows, row.turns.windows)[what];
  return ratio(results, ofRow[what], above, below);
}

/** Redis is one thread for all engines. */
function redisTargets({ commandsOfWindows }: Results): readonly Target[] {
  const title = "failed and counted, LDAP: Redis commands";
  return [judged({ title, value: commandsOfWindows, atMost: 10, unit: "", digits: 1 })];
}

function decisionTargets(results: Results): readonly Target[] {
  return [
    judged({
      title: "SQL argon2id: req/s / raw hash rate",
      value: inTurn(results, "rate", "sql", "hash-rate"),
      atLeast: 0.8,
      unit: " ×",
    }),
    judged({
      title: "two engines: CPU per look-up / one",
      value: inTurn(results, "times", "lookup-2-engines", "lookup"),
      atMost: 1.1,
      unit: " ×",
    }),
    judged({
      title: "two engines: CPU per LDAP success / one",
      value: inTurn(results, "times", "ldap-2-engines", "ldap"),
      atMost: 1.1,
      unit: " ×",
    }),
  ];
}

function millionUsersTarget(results: Results): Target {
  const value = inTurn(results, "times", "lookup-million", "lookup-ten");
  return judged({ title: "a million users: CPU / ten users", value, atMost: 1.1, unit: " ×" });
}

/** The cost of a site's scripts that do not affect the decision. */
function scriptTargets(results: Results): readonly Target[] {
  const title = "scripts: CPU that an empty environment script adds";
  return [judged({ title, value: addedBy(results, "scripted", "unscripted"), atMost: 50, unit: " µs", digits: 0 })];
}

/** The comparison uses the rounds in which both rows were measured. */
function addedBy(results: Results, above: RowId, below: RowId): Figure | undefined {
  const added = rowOf(results, above)?.added;
  return added?.to === below ? added.micros : undefined;
}

/** The cost of a dialect and of caller authentication, for the same decision. */
function edgeTargets(results: Results): readonly Target[] {
  const dialects = (["cbor", "header"] as const).map((name) =>
    judged({
      title: `lookup, ${name}: CPU / JSON`,
      value: inTurn(results, "times", `lookup-${name}`, "lookup"),
      atMost: 1.05,
      unit: " ×",
    }),
  );
  const added = (title: string, above: RowId, atMost: number): Target =>
    judged({ title, value: addedBy(results, above, "lookup-open"), atMost, unit: " µs", digits: 0 });
  return [
    ...dialects,
    added("caller: CPU that Basic adds to none", "lookup-basic", 10),
    added("caller: CPU that Bearer adds, verdict cached", "lookup-bearer", 60),
    added("caller: CPU that Bearer adds, key cached", "lookup-bearer-key", 60),
    added("caller: CPU that Bearer adds, another token", "lookup-bearer-new", 120),
  ];
}

/** One replica, on any core. */
function samlTargets(results: Results): readonly Target[] {
  const value = rowOf(results, "saml")?.windows?.rate;
  return [judged({ title: "SAML sign-ins of one replica", value, atLeast: 200, unit: "/s", digits: 0 })];
}

/** The files of the image, without Debian's. */
function imageTargets({ imageMb }: Results): readonly Target[] {
  return [judged({ title: "image: installed size", value: imageMb, atMost: 250, unit: " MB", digits: 0 })];
}

function scaled({ median, lowest, highest }: Figure, by: number): Figure {
  return { median: median * by, lowest: lowest * by, highest: highest * by };
}

/** The total cost of a sign-in page, before any password. */
function pageTargets(results: Results): readonly Target[] {
  const micros = rowOf(results, "login-page")?.windows?.total;
  const value = micros === undefined ? undefined : scaled(micros, 1 / 1000);
  return [judged({ title: "sign-in page: CPU on the server", value, atMost: 15, unit: " ms" })];
}

function serviceTargets({ starts, memories }: Results): readonly Target[] {
  const begun = starts.flatMap(({ service, readyAfterMs, idleMib }) => {
    const [atMostMs, atMostMib] = service === "postern" ? [700, 230] : [600, 130];
    return [
      judged({ title: `${service}: start to ready`, value: readyAfterMs, atMost: atMostMs, unit: " ms", digits: 0 }),
      judged({ title: `${service}: memory idle`, value: idleMib, atMost: atMostMib, unit: " MiB", digits: 0 }),
    ];
  });
  const loaded = memories.map(({ service, load, loadedMib }) =>
    judged({
      title: `${service}: memory loaded, ${load}`,
      value: loadedMib,
      atMost: loadedLimitOf(service),
      unit: " MiB",
      digits: 0,
    }),
  );
  return [...begun, ...loaded];
}

/** Targets of scenarios that only a long run measures. */
function longTargets(results: Results): readonly Target[] {
  const targets = [
    millionUsersTarget(results),
    factsTarget(results),
    ...enduranceTargets(results),
    ...managementTargets(results),
    ...consoleTargets(results),
  ];
  return targets.filter(({ met }) => met !== undefined).map((target) => ({ ...target, isLong: true }));
}

export function targetsOf(results: Results): readonly Target[] {
  return [
    ...revisionTargets(results),
    ...redisTargets(results),
    ...decisionTargets(results),
    ...edgeTargets(results),
    ...featureTargets(results),
    ...scriptTargets(results),
    ...samlTargets(results),
    ...pageTargets(results),
    ...serviceTargets(results),
    ...oneProcessTargets(results),
    ...imageTargets(results),
    ...longTargets(results),
  ];
}
