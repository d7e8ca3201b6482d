import { expect, test } from "vitest";
import { createGathered } from "./gathered.ts";

/** Answers each item with its own name, but for those that begin with `no`. */
function startGathered({ most = 3, fails = false, answers = 100 } = {}) {
  const asked: (readonly string[])[] = [];
  const ask = async (items: readonly string[]): Promise<readonly (string | Error)[]> => {
    asked.push(items);
    if (fails) throw new Error("away");
    return items.slice(0, answers).map((item) => (item.startsWith("no") ? new Error(item) : `<${item}>`));
  };
  return { give: createGathered(ask, most), asked };
}

test("items of one turn are asked for together, at most so many, and each gets its own answer", async () => {
  const { give, asked } = startGathered();
  expect(await Promise.all(["a", "b", "c", "d"].map(give))).toEqual(["<a>", "<b>", "<c>", "<d>"]);
  expect(await give("e")).toBe("<e>");
  expect(asked).toEqual([["a", "b", "c"], ["d"], ["e"]]);
});

test("items that promises of the turn bring are asked for with the others", async () => {
  const { give, asked } = startGathered();
  const later = async (item: string, turns: number): Promise<string | undefined> => {
    for (let turn = 0; turn < turns; turn += 1) await Promise.resolve();
    return give(item);
  };
  await Promise.resolve();
  expect(await Promise.all([later("a", 1), later("b", 9)])).toEqual(["<a>", "<b>"]);
  expect(asked).toEqual([["a", "b"]]);
});

test("an error of one is its own; a call that fails is everyone's, and the next turn is asked anew", async () => {
  const { give } = startGathered();
  const said = await Promise.allSettled([give("a"), give("no b"), give("c")]);
  expect(said.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
  const failing = startGathered({ fails: true });
  const failed = await Promise.allSettled([failing.give("a"), failing.give("b")]);
  expect(failed.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  await expect(failing.give("c")).rejects.toThrow("away");
  expect(failing.asked).toEqual([["a", "b"], ["c"]]);
});

test("where nobody could be asked, everyone learns that", async () => {
  const give = createGathered<string, string>(async () => undefined, 3);
  expect(await Promise.all([give("a"), give("b")])).toEqual([undefined, undefined]);
});

test("an answer that is missing is an error", async () => {
  const { give } = startGathered({ answers: 1 });
  const said = await Promise.allSettled([give("a"), give("b")]);
  expect(said.map(({ status }) => status)).toEqual(["fulfilled", "rejected"]);
});
