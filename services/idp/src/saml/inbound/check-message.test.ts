import { describe, expect, it } from "vitest";
import { SamlRefusal } from "../protocol/refusal.ts";
import { logoutRequest, nowMs, sso } from "../testing/forge.ts";
import { type Arrival, checkHead } from "./check-message.ts";
import { readLogoutRequest } from "./logout-messages.ts";
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

describe("a message is taken", () => {
  it.each<readonly [name: string, xml: string, arrival: Partial<Arrival>, outcome: string]>([
    ["now and here", message, {}, "taken"],
    ["three minutes late", message, { nowMs: nowMs + 3 * minuteMs }, "taken"],
    ["by a clock three minutes behind", message, { nowMs: nowMs - 3 * minuteMs }, "taken"],
    ["unsigned without a destination", without("Destination"), { isSigned: false }, "taken"],
    ["before its end", ending("2026-05-01T12:00:01Z"), {}, "taken"],
  ])("%s", (_name, xml, arrival, outcome) => {
    expect(outcomeOf(xml, arrival)).toBe(outcome);
  });
});

describe("a message is refused", () => {
  it.each<readonly [name: string, xml: string, arrival: Partial<Arrival>, outcome: string]>([
    ["later", message, { nowMs: nowMs + 3 * minuteMs + 1 }, "time"],
    ["earlier", message, { nowMs: nowMs - 3 * minuteMs - 1 }, "time"],
    ["without its instant", without("IssueInstant"), {}, "structure"],
    ["with an instant of local time", message.replace("12:00:00Z", "12:00:00+02:00"), {}, "time"],
    ["long after its end", ending("2026-05-01T11:50:00Z"), {}, "time"],
    ["at another address", message, { destination: `${sso}/` }, "destination"],
    ["unsigned at another address", message, { destination: `${sso}/`, isSigned: false }, "destination"],
    ["signed without a destination", without("Destination"), {}, "destination"],
    ["without an ID", without("ID"), {}, "structure"],
    ["of another version", message.replace('Version="2.0"', 'Version="1.1"'), {}, "structure"],
  ])("%s", (_name, xml, arrival, outcome) => {
    expect(outcomeOf(xml, arrival)).toBe(outcome);
  });
});
