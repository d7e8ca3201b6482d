import {
  type Accepted,
  countsOf,
  type Declined,
  isAccepted,
  type ModuleResult,
  type Outcome,
  type PlanResult,
} from "./results.ts";

const columns: readonly Outcome[] = ["PASSED", "REVIEW", "SKIPPED", "WARNING", "FAILED"];

const meanings: Readonly<Record<Exclude<Outcome, "PASSED">, string>> = {
  REVIEW: "a person evaluates a picture of the page, which Chromium took",
  SKIPPED: "the module tests something that Postern does not offer",
  WARNING: "a recommendation is not met",
  FAILED: "a requirement is not met",
};

function planRow(result: PlanResult): string {
  const { plan, modules, date, suiteVersion, commit = "not recorded" } = result;
  const counts = countsOf(result);
  const cells = [plan, modules.length, ...columns.map((name) => counts[name]), date, commit, suiteVersion];
  return `| ${cells.join(" | ")} |`;
}

/** Text of the suite in a cell of a table. */
function cell(text: string): string {
  return text.replaceAll("|", "\\|").replaceAll("<", "&lt;").replaceAll("\n", " ");
}

function moduleRow(plan: string, { module, outcome, findings }: ModuleResult, list: readonly Accepted[]): string {
  const texts = findings.map((finding) => (isAccepted(module, finding, list) ? `${finding} (accepted)` : finding));
  return `| ${plan} | ${module} | ${outcome.toLowerCase()} | ${cell(texts.join("; "))} |`;
}

function moduleRows(plans: readonly PlanResult[], list: readonly Accepted[]): readonly string[] {
  return plans.flatMap(({ plan, modules }) =>
    modules.filter(({ outcome }) => outcome !== "PASSED").map((result) => moduleRow(plan, result, list)),
  );
}

function acceptedText(list: readonly Accepted[]): string {
  if (list.length === 0) return "No warning is accepted.";
  const rows = list.map(({ module, finding, reason }) => `| ${module} | ${finding} | ${cell(reason)} |`);
  return ["| Module | Accepted warning | Reason |", "|---|---|---|", ...rows].join("\n");
}

function declinedText(features: readonly Declined[]): string {
  const rows = features.map(({ plan, module, reason }) => `| ${plan} | ${module} | ${cell(reason)} |`);
  return ["| Plan | Module | Reason |", "|---|---|---|", ...rows].join("\n");
}

/** `docs/integrations/oidc-conformance.md` */
export function conformancePage(
  plans: readonly PlanResult[],
  list: readonly Accepted[],
  features: readonly Declined[],
): string {
  const rest = moduleRows(plans, list);
  const modules = ["| Plan | Module | Result | Conditions that were not met |", "|---|---|---|---|", ...rest].join(
    "\n",
  );
  return `<!-- Made from tools/conformance/results.json by tools/generate-conformance.ts; do not edit. -->

# OpenID conformance results

For administrators and auditors: the results of the OpenID Foundation's conformance suite against Postern, with two gateways and two
replicas of the identity provider. This is not a certification, which only the OpenID Foundation grants. The tests of this repository that
make the same demands are in [OpenID conformance tests](oidc-conformance-tests.md).

Each row shows the last run of a plan. A commit with \`+\` had changed files.

| Plan | Modules | Passed | Review | Skipped | Warning | Failed | Date | Commit | Suite |
|---|---|---|---|---|---|---|---|---|---|
${plans.map((plan) => planRow(plan)).join("\n")}

## Modules that did not simply pass

${columns.flatMap((name) => (name === "PASSED" ? [] : [`- ${name.toLowerCase()}: ${meanings[name]}`])).join("\n")}

${rest.length === 0 ? "All modules passed." : modules}

## Accepted warnings

${acceptedText(list)}

## Features that Postern does not offer

These modules fail. Postern can therefore not be certified for the dynamic profile.

${declinedText(features)}

## Run the suite

\`\`\`sh
make conformance SUITE=path/to/fapi-test-suite.jar            # all plans
make conformance SUITE=path/to/fapi-test-suite.jar PLANS="basic session"
\`\`\`

\`SUITE\` names the suite's application as a jar, built as its own documentation describes, or the https address of a suite that runs in
its development mode. Postern's repository contains no part of the suite. The target needs Maven, for the suite's database in memory, and
a Java version that runs the suite (\`JAVA=/path/to/java\` selects one). It starts everything on free ports of loopback, prints the counts of
each plan, and fails on each failure and on each warning that is not accepted. Results and pictures, with plan and module in their names, are in \`.run/conformance\`. For a suite
that runs elsewhere, \`NODE_EXTRA_CA_CERTS\` names the file with its certificate authority. \`RECORD=1\` updates this page.
`;
}
