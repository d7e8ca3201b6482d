import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { pickUpstream } from "./pick-upstream.ts";

const servers = ["192.0.2.1", "192.0.2.2", "2001:db8::3"].map((address) => ({ address, port: 143 }));

describe("the choice of a mail server", () => {
  it("is the same for an account at every gateway, whatever the order of the servers and the case of the name", () => {
    fc.assert(
      fc.property(fc.emailAddress(), (account) => {
        expect(pickUpstream(servers.toReversed(), account.toUpperCase())).toEqual(
          pickUpstream(servers, account.toLowerCase()),
        );
      }),
    );
  });

  it("moves only the accounts of a server that is unavailable", () => {
    const accounts = Array.from({ length: 300 }, (_, index) => `user${index}@example.test`);
    const [gone, ...left] = servers;
    const counts = new Map(servers.map(({ address }) => [address, 0]));
    for (const account of accounts) {
      const before = pickUpstream(servers, account);
      const after = pickUpstream(left, account);
      counts.set(before?.address ?? "", (counts.get(before?.address ?? "") ?? 0) + 1);
      if (before !== gone) expect(after).toEqual(before);
      else expect(left).toContain(after);
    }
    for (const count of counts.values()) expect(count).toBeGreaterThan(60);
  });

  it("is undefined when no server is up", () => {
    expect(pickUpstream([], "alice")).toBeUndefined();
  });
});
