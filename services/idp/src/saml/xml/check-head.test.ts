import { describe, expect, it } from "vitest";
import { SamlRefusal } from "../protocol/refusal.ts";
import { logoutRequest, nowMs, sso } from "../testing/forge.ts";
import { type Arrival, checkHead } from "./check-head.ts";
import { readLogoutRequest } from "./logout-xml.ts";
import { parseXml } from "./xml-tree.ts";

const good: Arrival = { destination: sso, nowMs, isSigned: true };
const minuteMs = 60_000;

function outcomeOf(xml: string, arrival: Partial<Arrival> = {}): string {
  const root = parseXml(xml);
  const all = { ...good, ...arrival };
  try {
    readLogoutRequest(root, checkHead(root, all), all.nowMs);
    return "taken";
  } catch (error) {
    if (error instanceof SamlRefusal) return error.reason;
    throw error;
  }
}

const message = logoutRequest();
const without = (attribute: string): string => message.replace(new RegExp(` ${attribute}="[^"]*"`), "");
const ending = (at: string): string => message.replace(" Destination", ` NotOnOrAfter="${at}" Destination`);

describe("a message is accepted", () => {
  it.each<readonly [name: string, xml: string, arrival: Partial<Arrival>, outcome: string]>([
    ["if it is current and has the correct destination", message, {}, "taken"],
    ["if it is three minutes old", message, { nowMs: nowMs + 3 * minuteMs }, "taken"],
    ["if the sender's clock is three minutes fast", message, { nowMs: nowMs - 3 * minuteMs }, "taken"],
    ["if it is unsigned and has no destination", without("Destination"), { isSigned: false }, "taken"],
    ["before NotOnOrAfter", ending("2026-05-01T12:00:01Z"), {}, "taken"],
  ])("%s", (_name, xml, arrival, outcome) => {
    expect(outcomeOf(xml, arrival)).toBe(outcome);
  });
});

describe("a message is rejected", () => {
  it.each<readonly [name: string, xml: string, arrival: Partial<Arrival>, outcome: string]>([
    ["if it is more than three minutes old", message, { nowMs: nowMs + 3 * minuteMs + 1 }, "time"],
    ["if its time is more than three minutes ahead", message, { nowMs: nowMs - 3 * minuteMs - 1 }, "time"],
    ["without IssueInstant", without("IssueInstant"), {}, "structure"],
    ["if IssueInstant is not in UTC", message.replace("12:00:00Z", "12:00:00+02:00"), {}, "time"],
    ["long after NotOnOrAfter", ending("2026-05-01T11:50:00Z"), {}, "time"],
    ["if its destination is another URL", message, { destination: `${sso}/` }, "destination"],
    [
      "if it is unsigned and its destination is another URL",
      message,
      { destination: `${sso}/`, isSigned: false },
      "destination",
    ],
    ["if it is signed and has no destination", without("Destination"), {}, "destination"],
    ["without an ID", without("ID"), {}, "structure"],
    ["of another version", message.replace('Version="2.0"', 'Version="1.1"'), {}, "structure"],
  ])("%s", (_name, xml, arrival, outcome) => {
    expect(outcomeOf(xml, arrival)).toBe(outcome);
  });
});
