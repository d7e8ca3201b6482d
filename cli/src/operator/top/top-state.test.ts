import fc from "fast-check";
import { expect, test } from "vitest";
import { accountsBy, firstState, type Key, networksBy, pressed, selectedIn, type TopState } from "./top-state.ts";

const rows = ["alice", "bob", "203.0.113.0/24"];
const after = (keys: readonly (string | Key)[], from: TopState = firstState): TopState =>
  keys.reduce<TopState>((state, key) => pressed(state, typeof key === "string" ? { sequence: key } : key, rows), from);

const enter = { name: "return", sequence: "\r" };
const escape = { name: "escape", sequence: "\u001b" };

test("rows are selected within the lists, opened and closed", () => {
  expect(after([{ name: "up" }, { name: "down" }, "j", "j", "j"]).selected).toBe(2);
  expect(after(["j", enter])).toMatchObject({ opened: "bob", scrolled: 0 });
  expect(after(["j", enter, "j", "j", "k"])).toMatchObject({ opened: "bob", scrolled: 1 });
  expect(after(["j", enter, "q"])).toMatchObject({ opened: undefined, isOver: false, selected: 1 });
  expect(pressed({ ...firstState, selected: 9 }, enter, []).opened).toBeUndefined();
});

test("the selection stays with its row when rows are sorted anew, and near it when it is gone", () => {
  const state = after(["j"]);
  expect(selectedIn(state, ["bob", "alice", "203.0.113.0/24"])).toBe(0);
  expect(selectedIn(state, ["203.0.113.0/24", "alice", "carol", "bob"])).toBe(3);
  expect(pressed(state, enter, ["bob", "alice"]).opened).toBe("bob");
  expect(selectedIn(pressed(state, { name: "down" }, ["bob", "alice"]), ["alice", "bob"])).toBe(0);
  expect(selectedIn(state, ["alice", "carol"])).toBe(1);
  expect(selectedIn(state, [])).toBe(0);
  // Until an operator has chosen, the first row is selected, whichever it is.
  expect(selectedIn(firstState, ["bob", "alice"])).toBe(0);
});

test("q and Ctrl-C end it, s sorts, p pauses", () => {
  expect(after(["q"]).isOver).toBe(true);
  expect(after(["j", enter, { name: "c", ctrl: true }]).isOver).toBe(true);
  expect(after(["s"]).sort).toBe("passwords");
  expect(after(["s", "s", "s"]).sort).toBe("sources");
  expect([after(["p"]).isPaused, after(["p", "p"]).isPaused]).toEqual([true, false]);
});

test("a name is typed, corrected, opened or given up", () => {
  expect(after(["/", "q", "s", "x", { name: "backspace" }, enter])).toMatchObject({ opened: "qs", typed: undefined });
  expect(after(["/", "a", escape])).toMatchObject({ typed: undefined, opened: undefined });
  expect(after(["/", " ", enter]).opened).toBeUndefined();
});

test("whatever is pressed, the state stays within its bounds", () => {
  const key = fc.record({
    name: fc.constantFrom(undefined, "up", "down", "return", "escape", "backspace", "space", "left", "right"),
    sequence: fc.constantFrom("", "q", "s", "p", "/", "j", "k", "a", "\u001b", "\u0000", "ü", "日"),
    ctrl: fc.boolean(),
  });
  fc.assert(
    fc.property(fc.array(key, { maxLength: 40 }), (keys) => {
      const { selected, scrolled, typed = "" } = after(keys);
      expect(selected).toBeGreaterThanOrEqual(0);
      expect(selected).toBeLessThan(rows.length);
      expect(scrolled).toBeGreaterThanOrEqual(0);
      expect(typed).not.toMatch(/\p{Cc}/u);
    }),
  );
});

test("lists are sorted by what the key says", () => {
  const accounts = [
    { account: "b", addresses: 1, wrong_passwords: 9 },
    { account: "a", addresses: 5 },
  ];
  const networks = [
    { network: "10.0.0.0/24", failures: 1, refused: 8 },
    { network: "9.0.0.0/24", failures: 3 },
  ];
  const names = (sort: TopState["sort"]) => [
    accountsBy({ accounts }, sort).map(({ account }) => account),
    networksBy({ networks }, sort).map(({ network }) => network),
  ];
  expect(names("sources")).toEqual([
    ["a", "b"],
    ["9.0.0.0/24", "10.0.0.0/24"],
  ]);
  expect(names("passwords")).toEqual([
    ["b", "a"],
    ["10.0.0.0/24", "9.0.0.0/24"],
  ]);
  expect(names("name")).toEqual([
    ["a", "b"],
    ["9.0.0.0/24", "10.0.0.0/24"],
  ]);
});
