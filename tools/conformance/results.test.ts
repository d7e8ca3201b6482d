import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { accepted } from "./accepted.ts";
import { conformancePage } from "./page.ts";
import { behaviours, conformancePlans } from "./plans.ts";
import { readRecorded, readReviews } from "./recorded.ts";
import { countsOf, type ModuleResult, type Outcome, problemsOf, reviewOf } from "./results.ts";
import { jarOf, runningSuite } from "./suite-process.ts";

const moduleOf = (outcome: Outcome, ...findings: string[]): ModuleResult => ({ module: "m", outcome, findings });
const list = [{ module: "m", finding: "CheckName", reason: "no provider can" }];

test.each<[string, ModuleResult[], readonly string[]]>([
  [
    "modules that passed, were skipped or need a review",
    (["PASSED", "SKIPPED", "REVIEW"] as const).map((name) => moduleOf(name)),
    [],
  ],
  ["an accepted warning", [moduleOf("WARNING", "CheckName: text")], []],
  [
    "another warning beside an accepted one",
    [moduleOf("WARNING", "CheckName: text", "Other: text")],
    ["p m: Other: text"],
  ],
  [
    "a condition whose name only begins like an accepted one",
    [moduleOf("WARNING", "CheckNames: x")],
    ["p m: CheckNames: x"],
  ],
  ["an accepted condition in a failed module", [moduleOf("FAILED", "CheckName: text")], ["p m: CheckName: text"]],
  ["a failure without a condition", [moduleOf("FAILED")], ["p m: failed"]],
  ["a plan without modules", [], ["p: no module ran"]],
])("the run reports what is not accepted: %s", (_what, modules, problems) => {
  expect(problemsOf([{ plan: "p", modules }], list)).toEqual(problems);
});

test("the counts of a plan contain each module once", () => {
  const modules = [moduleOf("PASSED"), moduleOf("PASSED"), moduleOf("REVIEW")];
  expect(countsOf({ modules })).toEqual({ PASSED: 2, REVIEW: 1, WARNING: 0, SKIPPED: 0, FAILED: 0 });
});

test("at most three warnings are accepted, each with its reason", () => {
  expect(accepted.length).toBeLessThanOrEqual(3);
  for (const { reason } of accepted) expect(reason).not.toBe("");
});

test("the page shows counts, and text of the suite that cannot break its tables", () => {
  const modules = [moduleOf("PASSED"), moduleOf("WARNING", "CheckName: a|b <c>\nd")];
  const plans = [
    {
      plan: "basic",
      date: "2026-01-02",
      suiteVersion: "5.2.4",
      commit: "abc123",
      tree: "def456",
      modules: [...modules, { module: "seen", outcome: "REVIEW" as const, findings: [] }],
    },
    { plan: "config", date: "2026-01-01", suiteVersion: "5.2.3", modules: [moduleOf("PASSED")] },
  ];
  const pageWith = (tree: string): string => {
    const review = { plan: "basic", module: "seen", tree, date: "2026-01-03", shows: "The sign-in page." };
    return conformancePage(plans, { accepted: list, reviews: [review] });
  };
  const page = pageWith("def456");
  expect(page).toContain("| basic | seen | review | The sign-in page. (looked at on 2026-01-03) |");
  expect(pageWith("def457")).toContain("| basic | seen | review | The picture was not looked at. |");
  expect(page).toContain("| basic | 3 | 1 | 1 | 0 | 1 | 0 | 2026-01-02 | def456 | abc123 | 5.2.4 |");
  expect(page).toContain("| config | 1 | 1 | 0 | 0 | 0 | 0 | 2026-01-01 | not recorded | not recorded | 5.2.3 |");
  expect(page).toContain("| basic | m | warning | CheckName: a\\|b &lt;c> d (accepted) |");
});

test("each picture of the recorded runs has a review", () => {
  const reviews = readReviews();
  // Earlier runs did not record the code that their pictures are of.
  const identified = readRecorded().filter(({ tree }) => tree !== undefined);
  const unseen = identified.flatMap((plan) =>
    plan.modules.flatMap(({ module, outcome }) =>
      outcome === "REVIEW" && reviewOf(plan, module, reviews) === undefined ? [`${plan.plan} ${module}`] : [],
    ),
  );
  expect(unseen).toEqual([]);
});

test("the recorded runs end without a problem", () => {
  expect(problemsOf(readRecorded(), accepted)).toEqual([]);
});

test("plans have different names, and only known forms of behaviour", () => {
  const plans = conformancePlans({ issuer: "https://a.test", mutualUrl: "https://b.test", certificates: [] });
  expect(new Set(plans.map(({ name }) => name)).size).toBe(plans.length);
  expect(Object.keys(behaviours).length).toBeGreaterThan(0);
});

test("SUITE names a jar, a folder that contains it, or the address of a running suite", () => {
  const folder = mkdtempSync(join(tmpdir(), "suite-"));
  try {
    mkdirSync(join(folder, "target"));
    const jar = join(folder, "target/fapi-test-suite.jar");
    expect(() => jarOf(folder)).toThrow("SUITE must be the suite's jar");
    writeFileSync(jar, "");
    expect([jarOf(folder), jarOf(jar)]).toEqual([jar, jar]);
  } finally {
    rmSync(folder, { recursive: true });
  }
  expect(runningSuite("https://suite.test:8443/x")).toEqual({
    api: "https://suite.test:8443/api",
    url: "https://suite.test:8443",
  });
  for (const other of ["http://suite.test", "suite.jar", ""]) expect(runningSuite(other)).toBeUndefined();
});
