import { expect, test } from "vitest";
import { createBatched } from "./batched.ts";

/** Answers each item with its own name, except items that begin with `no`. */
function startGathered({ most: maxBatchSize = 3, fails = false, answers = 100 } = {}) {
  const batches: (readonly string[])[] = [];
  const ask = async (items: readonly string[]): Promise<readonly (string | Error)[]> => {
    batches.push(items);
    if (fails) throw new Error("away");
    return items.slice(0, answers).map((item) => (item.startsWith("no") ? new Error(item) : `<${item}>`));
  };
  return { give: createBatched(ask, { maxBatchSize }), batches };
}

test("items of one event loop turn are queried together, up to the limit, and each gets its own answer", async () => {
  const { give, batches } = startGathered();
  expect(await Promise.all(["a", "b", "c", "d"].map(give))).toEqual(["<a>", "<b>", "<c>", "<d>"]);
  expect(await give("e")).toBe("<e>");
  expect(batches).toEqual([["a", "b", "c"], ["d"], ["e"]]);
});

test("items that are added by promises of the same turn are queried with the others", async () => {
  const { give, batches } = startGathered();
  const later = async (item: string, turns: number): Promise<string | undefined> => {
    for (let turn = 0; turn < turns; turn += 1) await Promise.resolve();
    return give(item);
  };
  await Promise.resolve();
  expect(await Promise.all([later("a", 1), later("b", 9)])).toEqual(["<a>", "<b>"]);
  expect(batches).toEqual([["a", "b"]]);
});

test("an item's error rejects that item only; a failed call rejects its batch, and the next turn sends a new call", async () => {
  const { give } = startGathered();
  const said = await Promise.allSettled([give("a"), give("no b"), give("c")]);
  expect(said.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
  const failing = startGathered({ fails: true });
  const failed = await Promise.allSettled([failing.give("a"), failing.give("b")]);
  expect(failed.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  await expect(failing.give("c")).rejects.toThrow("away");
  expect(failing.batches).toEqual([["a", "b"], ["c"]]);
});

test("every item is answered with undefined if the store is unavailable", async () => {
  const give = createBatched<string, string>(async () => undefined, { maxBatchSize: 3 });
  expect(await Promise.all([give("a"), give("b")])).toEqual([undefined, undefined]);
});

test("a missing answer is an error", async () => {
  const { give } = startGathered({ answers: 1 });
  const said = await Promise.allSettled([give("a"), give("b")]);
  expect(said.map(({ status }) => status)).toEqual(["fulfilled", "rejected"]);
});

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test("items gather behind a batch that is being answered, unless they fill one", async () => {
  const batches: (readonly string[])[] = [];
  const replies: (() => void)[] = [];
  const ask = async (items: readonly string[]): Promise<readonly string[]> => {
    batches.push(items);
    await new Promise<void>((resolve) => replies.push(resolve));
    return items;
  };
  const give = createBatched(ask, { maxBatchSize: 3, gathersBehind: true });
  const results = [give("a")];
  await turn();
  results.push(give("b"));
  await turn();
  results.push(give("c"));
  await turn();
  expect(batches).toEqual([["a"]]);
  replies.shift()?.();
  await turn();
  expect(batches).toEqual([["a"], ["b", "c"]]);
  results.push(...["d", "e", "f"].map(give));
  await turn();
  expect(batches.at(-1)).toEqual(["d", "e", "f"]);
  for (const reply of replies) reply();
  expect(await Promise.all(results)).toEqual(["a", "b", "c", "d", "e", "f"]);
});

test("a failed batch lets the next one leave", async () => {
  let calls = 0;
  const ask = async (items: readonly string[]): Promise<readonly string[]> => {
    calls += 1;
    await new Promise((resolve) => setImmediate(resolve));
    if (calls === 1) throw new Error("away");
    return items;
  };
  const give = createBatched(ask, { maxBatchSize: 3, gathersBehind: true });
  const first = give("a").catch((error: unknown) => error);
  await Promise.resolve();
  const second = new Promise((resolve) => process.nextTick(() => resolve(give("b"))));
  expect(await first).toBeInstanceOf(Error);
  expect(await second).toBe("b");
});
