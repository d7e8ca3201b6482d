import { setImmediate as others } from "node:timers/promises";
import { remembering } from "@postern/shared/platform/cache";
import { canonicalIp, parseCidr } from "@postern/shared/platform/net";
import { createReplacedFile } from "./replaced-file.ts";

/** Networks of bad reputation, each with a weight. */
interface ReputationList {
  readonly size: number;
  /** The weight of the smallest network that contains the address. `none`: it is in no network. `usual`: the line has no weight. */
  readonly weightOf: (address: string) => number | "usual" | "none";
}

type Weight = number | "usual";

const maxNetworks = 500_000;
/** Lines that are read before yielding to the event loop. */
const linesAtOnce = 2000;
const maxWeight = 100;
/** The prefix length of an IPv4 address that is written as IPv6. */
const mappedBits = 96;

const groups = (text: string | undefined): string[] => (text === undefined || text === "" ? [] : text.split(":"));

/** An address as a number; IPv4 and IPv6 are kept apart. */
function numberOf(address: string): bigint {
  if (!address.includes(":")) return address.split(".").reduce((sum, part) => (sum << 8n) | BigInt(part), 0n);
  const [head = "", tail] = address.split("::");
  const [before, after] = [groups(head), groups(tail)];
  const zeros = Array.from({ length: tail === undefined ? 0 : 8 - before.length - after.length }, () => "0");
  return [...before, ...zeros, ...after].reduce((sum, group) => (sum << 16n) | BigInt(`0x${group}`), 0n);
}

/** Weights by the length of the prefix, and then by the prefix. */
function createFamily(bits: number) {
  const byLength = new Map<number, Map<bigint, Weight>>();
  let lengths: readonly number[] = [];
  return {
    add: (address: string, prefix: number, weight: Weight): void => {
      const known = byLength.get(prefix);
      const networks = known ?? new Map<bigint, Weight>();
      networks.set(numberOf(address) >> BigInt(bits - prefix), weight);
      if (known !== undefined) return;
      byLength.set(prefix, networks);
      lengths = [...byLength.keys()].toSorted((a, b) => b - a);
    },
    find: (address: string): Weight | undefined => {
      if (lengths.length === 0) return undefined;
      const number = numberOf(address);
      for (const length of lengths) {
        const found = byLength.get(length)?.get(number >> BigInt(bits - length));
        if (found !== undefined) return found;
      }
      return undefined;
    },
  };
}

function weightIn(text: string | undefined): Weight | undefined {
  if (text === undefined) return "usual";
  const weight = /^\d{1,3}$/.test(text) ? Number(text) : Number.NaN;
  return weight <= maxWeight ? weight : undefined;
}

interface Line {
  readonly address: string;
  readonly prefix: number;
  readonly weight: Weight;
}

/** Undefined for anything else. */
function readNetwork(text: string): Omit<Line, "weight"> | undefined {
  const cidr = parseCidr(text);
  const address = cidr && canonicalIp(cidr.address);
  if (cidr === undefined || address === undefined) return undefined;
  const { prefix } = cidr;
  if (cidr.family === "ipv4" || address.includes(":")) return { address, prefix };
  // IPv4 as IPv6; shorter prefixes contain all of IPv4.
  return prefix < mappedBits ? undefined : { address, prefix: prefix - mappedBits };
}

/** Undefined for a line without a network. Throws a RangeError for anything else. */
function readLine(line: string): Line | undefined {
  const [content = ""] = line.split(/[#;]/, 1);
  const [network = "", weightText, ...rest] = content.trim().split(/\s+/);
  if (network === "") return undefined;
  const found = readNetwork(network);
  const weight = weightIn(weightText);
  if (found === undefined || weight === undefined || rest.length > 0) {
    throw new RangeError(`is not a network with an optional weight from 0 to ${maxWeight}`);
  }
  return { ...found, weight };
}

/**
 * Reads `NETWORK [WEIGHT]` lines, with comments after `#` or `;`. Rejects with a RangeError that names the first line that
 * is neither: a list that is half read would look complete.
 */
export async function readReputationList(text: string): Promise<ReputationList> {
  const [ipv4, ipv6] = [createFamily(32), createFamily(128)];
  const familyOf = (address: string) => (address.includes(":") ? ipv6 : ipv4);
  let size = 0;
  for (const [index, line] of text.split("\n").entries()) {
    if (index % linesAtOnce === linesAtOnce - 1) await others();
    try {
      const found = readLine(line);
      if (found === undefined) continue;
      familyOf(found.address).add(found.address, found.prefix, found.weight);
    } catch (error) {
      throw new RangeError(`line ${index + 1}: ${error instanceof Error ? error.message : String(error)}`);
    }
    size += 1;
    if (size > maxNetworks) throw new RangeError(`more than ${maxNetworks} networks`);
  }
  return {
    size,
    weightOf: (rawAddress) => {
      const address = canonicalIp(rawAddress);
      return address === undefined ? "none" : (familyOf(address).find(address) ?? "none");
    },
  };
}

const maxAddresses = 16_384;
const maxBytes = 50_000_000;

type Found = ReturnType<ReputationList["weightOf"]>;

/** Networks of bad reputation, from files of the operator. */
export function createReputation(
  files: readonly string[],
  onRead: (file: string, networks: number) => void,
  onProblem: (file: string, error: unknown) => void,
) {
  const lists = files.map((file) =>
    createReplacedFile(file, maxBytes, (content) => readReputationList(content.toString("utf8")), {
      read: ({ size }) => onRead(file, size),
      problem: (error) => onProblem(file, error),
    }),
  );
  const find = (address: string): readonly Found[] =>
    lists.map((list) => list.current()?.weightOf(address) ?? "none").filter((one) => one !== "none");
  let weightsOf = remembering(maxAddresses, find);
  return {
    /** The largest of the files, in which 0 exempts a network. Undefined if none has it. `usual`: weights.listed_network. */
    weightOf: (address: string, usual: number): number | undefined => {
      if (lists.length === 0) return undefined;
      let highest = 0;
      for (const one of weightsOf(address)) highest = Math.max(highest, one === "usual" ? usual : Number(one));
      return highest === 0 ? undefined : highest;
    },
    /** Reads the files again if they were replaced. Never rejects: an absent file means no reputation. */
    refresh: async (): Promise<void> => {
      const changed = await Promise.all(lists.map((list) => list.refresh()));
      if (changed.includes(true)) weightsOf = remembering(maxAddresses, find);
    },
  };
}

export type Reputation = ReturnType<typeof createReputation>;
