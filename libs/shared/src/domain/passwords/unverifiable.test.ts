import { expect, test } from "vitest";
import { readStoredPassword } from "./parse-stored-password.ts";
import { createUnverifiableReports, type UnverifiableFault } from "./unverifiable.ts";

const sha512 = "$6$saltsalt$55HgDHfXPAT2alm9wGBYfZ4wSwbvPfp5Ckl0DdpNANMj2lPpWfhUgp5km1bq8meJGCDkDGSHYEZyDYoThYWH0/";

test.each([
  ["", "locked"],
  ["!", "locked"],
  ["!!", "locked"],
  ["*", "locked"],
  ["*LK*", "locked"],
  ["*NP*", "locked"],
  [`!${sha512}`, "locked"],
  [`!{SSHA}dhs3sC7GbQsJsMiQZQx4eTRs4aNMwLC+`, "locked"],
  ["{CRYPT}!", "locked"],
  [`{CRYPT}!${sha512}`, "locked"],
  ["{CRYPT}*", "locked"],
  ["x", "unknown_scheme"],
  ["abJnggxhB/yWI", "unknown_scheme"],
  ["secret", "unknown_scheme"],
  ["{PLAIN}!secret", "unknown_scheme"],
  ["{SASL}alice@EXAMPLE.TEST", "unknown_scheme"],
  ["$7$CU..../....salt$digest", "damaged"],
  ["{DIGEST-MD5}7b367cdb4c679e7a02bbd85dd382bdb9", "unknown_scheme"],
  [sha512.slice(0, -1), "damaged"],
  [sha512.replace("$6$", "$6$rounds=1000001$"), "damaged"],
  ["{SSHA}5en6G6MezRroT3XKqkdPOmY/BfQ=", "damaged"],
])("the stored password %j is %s", (stored, reason) => {
  expect(readStoredPassword(stored)).toBe(reason);
});

test("every denial caused by faulty data is counted, the first of a minute is logged, and locked accounts are not faults", () => {
  let nowMs = 1_000_000;
  const counted: string[] = [];
  const logged: UnverifiableFault[] = [];
  const report = createUnverifiableReports(
    { now: () => nowMs },
    (reason) => counted.push(reason),
    (fault) => logged.push(fault),
  );
  report("locked", "alice");
  for (let count = 0; count < 3; count += 1) report("unknown_scheme", "bob");
  nowMs += 60_000;
  report("damaged", "carol");
  expect(counted).toEqual(["unknown_scheme", "unknown_scheme", "unknown_scheme", "damaged"]);
  expect(logged).toEqual([
    { reason: "unknown_scheme", account: "bob", denials: 1 },
    { reason: "damaged", account: "carol", denials: 3 },
  ]);
});
