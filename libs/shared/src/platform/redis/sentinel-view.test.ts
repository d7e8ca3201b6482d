import fc from "fast-check";
import { expect, test } from "vitest";
import { addressText, agreementOf, readSentinels, readView, type SentinelView } from "./sentinel-view.ts";

const old = { host: "10.0.0.1", port: 6379 };
const recent = { host: "10.0.0.2", port: 6379 };
const view = (id: string, epoch: number, primary = old, isDown = false): SentinelView => ({
  id,
  epoch,
  primary,
  isDown,
  sentinels: 3,
});

test.each([
  ["all agree", [view("a", 1), view("b", 1), view("c", 1)], 3, old],
  ["a majority agrees", [view("a", 1), view("b", 1)], 3, old],
  [
    "one that was unavailable names an earlier primary",
    [view("a", 0), view("b", 1, recent), view("c", 1, recent)],
    3,
    recent,
  ],
  ["one alone", [view("a", 1)], 3, undefined],
  ["one alone, and the configuration names no other", [view("a", 1)], 1, undefined],
  ["a majority was unavailable", [view("a", 0), view("b", 0), view("c", 1, recent)], 3, undefined],
  ["two addresses of one sentinel", [view("a", 1), view("a", 1)], 3, undefined],
  ["two of a configured five", [view("a", 1), view("b", 1)], 5, undefined],
  ["one epoch with two primaries", [view("a", 1), view("b", 1, recent)], 2, undefined],
  ["a failover is due", [view("a", 1, old, true), view("b", 1, old, true), view("c", 1)], 3, undefined],
  ["no sentinel answered", [], 3, undefined],
])("%s", (_name, views, configured, primary) => {
  const agreement = agreementOf(views, configured);
  expect(agreement.isConfirmed ? agreement.primary : undefined).toEqual(primary);
});

test("no two sets of answers confirm two primaries in one epoch, if each sentinel names one", () => {
  const views = fc.uniqueArray(
    fc.record({ id: fc.nat(6).map(String), epoch: fc.nat(3), primary: fc.constantFrom(old, recent) }),
    { selector: ({ id }) => id },
  );
  fc.assert(
    fc.property(views, fc.func(fc.boolean()), fc.func(fc.boolean()), (all, one, other) => {
      const said = all.map((entry) => ({ ...entry, isDown: false, sentinels: all.length }));
      const [first, second] = [one, other].map((picks) => agreementOf(said.filter(picks), 1));
      if (first?.isConfirmed !== true || second?.isConfirmed !== true || first.epoch !== second.epoch) return;
      expect(first.primary).toEqual(second.primary);
    }),
  );
});

const master = ["name", "main", "ip", "10.0.0.1", "port", "6379", "config-epoch", "3", "num-other-sentinels", "2"];

test.each([
  ["the primary", ["10.0.0.1", "6379"], "master", { primary: old, isDown: false }],
  ["a primary that is down", ["10.0.0.1", "6379"], "s_down,o_down,master", { primary: old, isDown: true }],
  ["its replacement", ["10.0.0.2", "6379"], "o_down,master,failover_in_progress", { primary: recent, isDown: false }],
])("reads %s", (_name, address, flags, expected) => {
  const read = readView("a", [...master, "flags", flags], address);
  expect(read).toEqual({ id: "a", epoch: 3, sentinels: 3, ...expected });
});

test("reads the other sentinels", () => {
  const entry = ["name", "b", "ip", "2001:db8::2", "port", "26379"];
  expect(readSentinels([entry, ["ip", "", "port", "1"]]).map(addressText)).toEqual(["[2001:db8::2]:26379"]);
});

test("no reply fails, and none of another form is a view", () => {
  fc.assert(
    fc.property(fc.anything(), fc.anything(), (one, address) => {
      expect(readView("a", one, address)).toBeUndefined();
      expect(Array.isArray(readSentinels(one))).toBe(true);
    }),
  );
});
