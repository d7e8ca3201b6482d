import { createHotCache } from "@postern/shared/platform/cache";
import { createReplacedFile } from "./replaced-file.ts";
import { type ReputationList, readReputationList } from "./reputation-list.ts";

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
    createReplacedFile({
      file,
      maxBytes,
      parse: (content) => readReputationList(content.toString("utf8")),
      onRead: ({ size }) => onRead(file, size),
      onProblem: (error) => onProblem(file, error),
    }),
  );
  let known = createHotCache<readonly Found[]>(maxAddresses);
  const find = (address: string): readonly Found[] => {
    const cached = known.get(address);
    if (cached !== undefined) return cached;
    const found = lists.map((list) => list.current()?.weightOf(address) ?? "none").filter((one) => one !== "none");
    known.set(address, found);
    return found;
  };
  return {
    /** The largest of the files, in which 0 exempts a network. Undefined if none has it. `usual`: weights.listed_network. */
    weightOf: (address: string, usual: number): number | undefined => {
      if (lists.length === 0) return undefined;
      let highest = 0;
      for (const one of find(address)) highest = Math.max(highest, one === "usual" ? usual : Number(one));
      return highest === 0 ? undefined : highest;
    },
    /** Reads the files again if they were replaced. Never rejects: an absent file means no reputation. */
    refresh: async (): Promise<void> => {
      const changed = await Promise.all(lists.map((list) => list.refresh()));
      if (changed.includes(true)) known = createHotCache(maxAddresses);
    },
  };
}

export type Reputation = ReturnType<typeof createReputation>;
