import type { DecisionHistory } from "@postern/shared/domain/history";
import { expect, test, vi } from "vitest";
import { sharedHistory } from "./shared-history.ts";

const none: DecisionHistory = {
  ofAccount: async () => [],
  ofNetwork: async () => [],
  ofReference: async () => undefined,
  page: async () => ({ histories: [], done: 1 }),
  traffic: async () => [],
  failingNetworks: async () => [],
};

test("what follows each other shares one reading of a network, and nothing that failed", async () => {
  const ofNetwork = vi.fn<DecisionHistory["ofNetwork"]>(async () => []);
  const { ofNetwork: shared } = sharedHistory({ ...none, ofNetwork }) ?? none;
  await Promise.all(["192.0.2.1", "192.0.2.1", "192.0.2.2"].map((address) => shared(address)));
  await shared("192.0.2.1");
  expect(ofNetwork.mock.calls).toEqual([["192.0.2.1"], ["192.0.2.2"]]);
  ofNetwork.mockRejectedValueOnce(new Error("no connection"));
  await expect(shared("192.0.2.3")).rejects.toThrow("no connection");
  expect(await shared("192.0.2.3")).toEqual([]);
});

test("without a history there is none", () => {
  expect(sharedHistory(undefined)).toBeUndefined();
});
