import { expect, test } from "vitest";
import { createGatheredReads } from "./gathered-reads.ts";

/** Answers each key with its own name, but for those that begin with `no`. */
function startReads({ isCluster = false, fails = false } = {}) {
  const commands: string[][] = [];
  const mget = async (keys: string[]): Promise<(string | null)[]> => {
    commands.push(keys);
    if (fails) throw new Error("away");
    return keys.map((key) => (key.startsWith("no") ? null : `<${key}>`));
  };
  return {
    read: createGatheredReads({ mget, isCluster }),
    commands,
  };
}

test("reads of one turn are one command, and each gets its own values", async () => {
  const { read, commands } = startReads();
  expect(await Promise.all([read(["a", "no-b"]), read(["c"]), read([])])).toEqual([["<a>", null], ["<c>"], []]);
  expect(await read(["d"])).toEqual(["<d>"]);
  expect(commands).toEqual([["a", "no-b", "c"], ["d"]]);
});

test("on a cluster each is its own command", async () => {
  const { read, commands } = startReads({ isCluster: true });
  expect(await Promise.all([read(["a", "no-b"]), read(["c"])])).toEqual([["<a>", null], ["<c>"]]);
  expect(commands).toEqual([["a", "no-b"], ["c"]]);
});

test("a command that fails rejects all its readers, and the next turn is asked anew", async () => {
  const { read, commands } = startReads({ fails: true });
  const said = await Promise.allSettled([read(["a"]), read(["b"])]);
  expect(said.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  await expect(read(["c"])).rejects.toThrow("away");
  expect(commands).toEqual([["a", "b"], ["c"]]);
});
