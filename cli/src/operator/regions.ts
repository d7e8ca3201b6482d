import type { RegionList } from "@postern/shared/contracts";
import { printable, table } from "../table.ts";
import { readRegions } from "./answers.ts";
import { UsageError } from "./connection.ts";
import type { CommandContext, OperatorCommand, Shown } from "./operator-command.ts";

type OtherRegion = RegionList["regions"][number];

function stateOf({ link, is_configured: isPeer, is_forgetting: isForgetting }: OtherRegion): string {
  if (isForgetting) return "is being forgotten";
  return isPeer ? link : "not configured";
}

const droppedOf = ({ dropped }: OtherRegion): string =>
  Object.entries(dropped)
    .map(([reason, count]) => `${count} ${reason}`)
    .join(", ");

const known = (value: string | number | undefined, unit = ""): string =>
  value === undefined ? "-" : `${value}${unit}`;

function regionTable({ regions }: RegionList): readonly string[] {
  const rows = regions.map((region) => [
    region.name,
    stateOf(region),
    known(region.since),
    known(region.last_message),
    known(region.lag_ms, " ms"),
    known(region.waiting),
    known(region.applied),
    droppedOf(region) || "-",
  ]);
  return table(["REGION", "LINK", "SINCE", "LAST MESSAGE", "LAG", "WAITING", "APPLIED", "DROPPED"], rows);
}

async function list({ api }: CommandContext): Promise<Shown> {
  const regions = readRegions(await api.ask("listRegions"));
  const isWell = regions.is_exchanging && regions.regions.every((one) => !one.is_configured || one.link === "up");
  return {
    exitCode: isWell ? 0 : 1,
    lines: [
      printable(`this region: ${regions.name}`),
      ...(regions.is_exchanging ? [] : ["no jobs-worker exchanges messages with the others"]),
      "",
      ...regionTable(regions),
    ],
    json: regions,
  };
}

async function forget({ api, operands: [, name, ...others] }: CommandContext): Promise<Shown> {
  if (name === undefined || others.length > 0) throw new UsageError("regions forget needs one NAME");
  await api.ask("forgetRegion", { path: { name } });
  return { lines: [printable(`${name} will be forgotten within seconds`)], json: { forgotten: name } };
}

export const regionsCommand: OperatorCommand = {
  usage: "regions | regions forget NAME",
  summary: "show the links to the other data centres, or forget what one of them has reported",
  help: [
    "Shows for each region whether its link is up and since when, its last message, the lag of the newest entry, what waits, what was",
    "applied, and what was dropped. The exit code is 1 unless all links are up. forget: for a region that was removed from",
    "runtime.regions.peers, or that lost its data. Its failure counts end with their periods, and bans when they end. A region that is",
    "still configured is met as a new one, and its whole state is taken.",
  ],
  operands: { min: 0, max: 2 },
  actions: ["forget"],
  run: (context) => {
    const [action] = context.operands;
    if (action === undefined) return list(context);
    if (action === "forget") return forget(context);
    throw new UsageError("use `postern regions` or `postern regions forget NAME`");
  },
};
