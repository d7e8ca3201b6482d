import { describe, expect, it } from "vitest";
import { summariseProfile } from "./profile-summary.ts";

const frame = (functionName: string) => ({ functionName, url: "", lineNumber: -1, columnNumber: -1 });
const profile = {
  nodes: [
    { id: 1, callFrame: frame("(root)"), children: [2, 4] },
    { id: 2, callFrame: frame("handle"), children: [3] },
    { id: 3, callFrame: frame("parse") },
    { id: 4, callFrame: frame("(idle)") },
  ],
  samples: [2, 3, 4, 3],
  timeDeltas: [100, 200, 5000, 100],
};

describe("summariseProfile", () => {
  it("shares are of the busy time, without idle time", () => {
    expect(summariseProfile(JSON.stringify(profile), 9)).toEqual([
      { name: "parse", self: 0.75, total: 0.75 },
      { name: "handle", self: 0.25, total: 1 },
    ]);
  });

  it("rejects text that is not a profile", () => {
    expect(() => summariseProfile("{}", 9)).toThrow("not a CPU profile");
  });
});
