import type { Replacement } from "@postern/shared/domain/risk";
import { expect, test } from "vitest";
import { createFactWriter } from "./fact-writer.ts";

const form = { decode: Number, encode: String, lifeSeconds: () => 60 };
const add =
  (by: number) =>
  (sum = 0): number =>
    sum + by;

/** A store that another engine may have changed. */
function storeWith(value: string) {
  const state = { value, writes: 0 };
  const replace = async (_key: string, { expected, replacement }: Replacement): Promise<string | undefined> => {
    state.writes += 1;
    if (expected !== state.value) return state.value;
    state.value = replacement;
    return undefined;
  };
  return { state, replace };
}

test("changes of one key are one write, and are applied to what another engine wrote", async () => {
  const store = storeWith("100");
  const writer = createFactWriter(store, form, () => undefined);
  writer.add("a", "5", add(1));
  writer.add("a", "5", add(2));
  await writer.flush();
  expect(store.state).toEqual({ value: "103", writes: 2 });
});

test("facts that did not change are not written", async () => {
  const store = storeWith("5");
  const writer = createFactWriter<number>(store, form, () => undefined);
  writer.add("a", "5", (facts) => facts);
  writer.add("b", "", () => undefined);
  await writer.flush();
  expect(store.state.writes).toBe(0);
});

test("dropped facts are not written, and losses are counted", async () => {
  let lost = 0;
  const broken = { replace: () => Promise.reject(new Error("Redis is unavailable")) };
  const writer = createFactWriter(broken, form, (count) => {
    lost += count;
  });
  writer.add("a", "", add(1));
  writer.drop("a");
  await writer.flush();
  expect(lost).toBe(0);
  writer.add("b", "", add(1));
  writer.add("b", "", add(1));
  await writer.flush();
  expect(lost).toBe(2);
  for (let index = 0; index < 5000; index += 1) writer.add(`key${index}`, "", add(1));
  expect(lost).toBe(2 + 5000 - 4096);
});

test("a value that is erased after it was read is not created again", async () => {
  const store = storeWith("");
  const writer = createFactWriter(store, form, () => undefined);
  writer.add("a", "5", add(1));
  await writer.flush();
  expect(store.state.value).toBe("");
});

test("facts that are dropped while they are being written are not written again after the other engine's change", async () => {
  const store = storeWith("7");
  let answerFirst: (() => void) | undefined;
  const held = new Promise<void>((resolve) => {
    answerFirst = resolve;
  });
  const slow = {
    replace: async (key: string, values: Replacement): Promise<string | undefined> => {
      const present = await store.replace(key, values);
      await held;
      return present;
    },
  };
  const writer = createFactWriter(slow, form, () => undefined);
  writer.add("a", "", add(1));
  const written = writer.flush();
  writer.drop("a");
  store.state.value = "";
  answerFirst?.();
  await written;
  expect(store.state).toEqual({ value: "", writes: 1 });
  writer.add("a", "", add(2));
  await writer.flush();
  expect(store.state.value).toBe("2");
});
