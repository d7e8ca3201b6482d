import { expect, test } from "vitest";
import { demandsOf, meetsDemands } from "./sign-in-demands.ts";

const unset = { recovery_codes: 0, totp: 0, webauthn: 0 };
const general = { levels: { recovery_codes: 1, totp: 2, webauthn: 3 }, freshness: 600_000 };
const config = (level: string, own = unset, require_mfa: readonly string[] = []) => ({
  require_mfa,
  supported_mfa: [],
  required_mfa_level: level,
  mfa_policy: { levels: own },
});
const now = 100_000;
const session = (acr: string, ago = 0) => ({ acr, mfaTs: now - ago });

test("an application's own level for a factor replaces the site's level for that factor", () => {
  const demands = demandsOf(config("3", { ...unset, totp: 5 }), general);
  expect(demands.levels).toEqual({ recovery: 1, totp: 5, webauthn: 3 });
  expect(meetsDemands(session("mfa"), demands, now)).toBe(true);
  expect(meetsDemands(session("recovery"), demands, now)).toBe(false);
  expect(meetsDemands(session("mfa"), demandsOf(config("3"), general), now)).toBe(false);
});

test("a level is a number or the name of a factor with that level", () => {
  expect(demandsOf(config("webauthn"), general).level).toBe(3);
  expect(demandsOf(config("recovery_codes"), general).level).toBe(1);
  expect(demandsOf(config("0"), general).level).toBe(0);
});

test("an application that requires a factor accepts any second factor; one without requirements accepts a password", () => {
  expect(meetsDemands({ acr: "pwd" }, demandsOf(config("", unset, ["totp"]), general), now)).toBe(false);
  expect(meetsDemands(session("recovery"), demandsOf(config("", unset, ["totp"]), general), now)).toBe(true);
  expect(meetsDemands({ acr: "pwd" }, demandsOf(config(""), general), now)).toBe(true);
});

test("a second factor is accepted while it is fresh; without a freshness limit, for the whole session", () => {
  const demands = demandsOf(config("2"), general);
  expect([600, 601].map((ago) => meetsDemands(session("phr", ago), demands, now))).toEqual([true, false]);
  const lasting = demandsOf(config("2"), { ...general, freshness: 0 });
  expect(meetsDemands(session("phr", 90_000), lasting, now)).toBe(true);
  expect(meetsDemands({ acr: "phr" }, lasting, now)).toBe(false);
});

test("a code from the help desk counts as a recovery code does, for as long", () => {
  const byHelpDesk = (ago: number) => ({ acr: "recovery", lostPhoneTs: now - ago });
  const [low, high] = ["1", "2"].map((level) => demandsOf(config(level), general));
  expect(low && [0, 600, 601].map((ago) => meetsDemands(byHelpDesk(ago), low, now))).toEqual([true, true, false]);
  expect(high && meetsDemands(byHelpDesk(0), high, now)).toBe(false);
});
