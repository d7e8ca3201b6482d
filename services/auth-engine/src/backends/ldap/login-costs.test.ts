import { createSecretKey } from "node:crypto";
import { createKeyedDigest } from "@postern/shared/platform/crypto";
import { expect, test } from "vitest";
import { createLoginCosts } from "./unknown-names.ts";

const digest = createKeyedDigest(createSecretKey(Buffer.from("a key of the test")));

test("there is no cost to draw before the first login", () => {
  expect(createLoginCosts(digest).draw("nobody")).toBeUndefined();
});

test("each name always draws the same kind of cost, and names are distributed over the kinds like the accounts", () => {
  const costs = createLoginCosts(digest);
  for (let account = 0; account < 200; account += 1)
    costs.observe(`u${account}`, account % 4 === 0 ? 40 : 10 + (account % 3));
  const costly = Array.from({ length: 1000 }, (_, index) => `nobody-${index}`).filter((name) => {
    const drawn = Array.from({ length: 5 }, () => costs.draw(name)?.takesMs ?? 0);
    expect(drawn.every((ms) => ms === 40) || drawn.every((ms) => ms >= 10 && ms <= 12)).toBe(true);
    return drawn[0] === 40;
  });
  expect(Math.abs(costly.length / 1000 - 0.25)).toBeLessThan(0.1);
});

test("a slow login counts for the kind of its account", () => {
  const costs = createLoginCosts(digest);
  for (let login = 0; login < 20; login += 1) costs.observe("alice", login === 10 ? 400 : 10);
  const drawn = Array.from({ length: 300 }, () => costs.draw("nobody")?.takesMs);
  expect(new Set(drawn)).toEqual(new Set([10, 400]));
  expect(costs.draw("nobody")?.usualMs).toBe(10);
});

test("an account changes its kind after its password is rehashed", () => {
  const costs = createLoginCosts(digest);
  for (let login = 0; login < 5; login += 1) costs.observe("alice", 5);
  for (let login = 0; login < 60; login += 1) costs.observe("alice", 40);
  expect(costs.draw("nobody")).toEqual({ takesMs: 40, usualMs: 40 });
});
