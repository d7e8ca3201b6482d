import {
  type Accepted,
  countsOf,
  isAccepted,
  type ModuleResult,
  type Outcome,
  type PlanResult,
  type Review,
  reviewOf,
} from "./results.ts";

const columns: readonly Outcome[] = ["PASSED", "REVIEW", "SKIPPED", "WARNING", "FAILED"];

const meanings: Readonly<Record<Exclude<Outcome, "PASSED">, string>> = {
  REVIEW: "a person evaluates a picture of the page, which Chromium took; the last column says what it shows",
  SKIPPED: "the module tests something that Postern does not offer",
  WARNING: "a recommendation is not met",
  FAILED: "a requirement is not met",
};

function planRow(result: PlanResult): string {
  const { plan, modules, date, suiteVersion, tree = "not recorded", commit = "not recorded" } = result;
  const counts = countsOf(result);
  const cells = [plan, modules.length, ...columns.map((name) => counts[name]), date, tree, commit, suiteVersion];
  return `| ${cells.join(" | ")} |`;
}

/** Text of the suite in a cell of a table. */
function cell(text: string): string {
  return text.replaceAll("|", "\\|").replaceAll("<", "&lt;").replaceAll("\n", " ");
}

/** The lists that explain results. */
export interface Explanations {
  readonly accepted: readonly Accepted[];
  readonly reviews: readonly Review[];
}

function reviewText(plan: PlanResult, module: string, { reviews }: Explanations): string {
  const review = reviewOf(plan, module, reviews);
  return review === undefined ? "The picture was not looked at." : `${review.shows} (looked at on ${review.date})`;
}

function moduleRow(plan: PlanResult, { module, outcome, findings }: ModuleResult, lists: Explanations): string {
  const texts = findings.map((text) => (isAccepted(module, text, lists.accepted) ? `${text} (accepted)` : text));
  if (outcome === "REVIEW") texts.push(reviewText(plan, module, lists));
  return `| ${plan.plan} | ${module} | ${outcome.toLowerCase()} | ${cell(texts.join("; "))} |`;
}

function moduleRows(plans: readonly PlanResult[], lists: Explanations): readonly string[] {
  return plans.flatMap((plan) =>
    plan.modules.filter(({ outcome }) => outcome !== "PASSED").map((result) => moduleRow(plan, result, lists)),
  );
}

function acceptedText(list: readonly Accepted[]): string {
  if (list.length === 0) return "No warning is accepted.";
  const rows = list.map(({ module, finding, reason }) => `| ${module} | ${finding} | ${cell(reason)} |`);
  return ["| Module | Accepted warning | Reason |", "|---|---|---|", ...rows].join("\n");
}

/** `docs/contributing/oidc-conformance.md` */
export function conformancePage(plans: readonly PlanResult[], lists: Explanations): string {
  const rest = moduleRows(plans, lists);
  const heads = "| Plan | Module | Result | Conditions that were not met, or what the picture shows |";
  const modules = [heads, "|---|---|---|---|", ...rest].join("\n");
  return `<!-- Made from tools/conformance/results.json by tools/generate-conformance.ts; do not edit. -->

# OpenID conformance results

For administrators and auditors: the results of the OpenID Foundation's conformance suite against Postern, with two gateways and two
replicas of the identity provider. This is not a certification, which only the OpenID Foundation grants. For the plan dynamic, the tested site
lets everyone register clients and permits the [implicit flow](../connect/openid-connect.md#the-implicit-flow). Both are off by default.

Each row shows the last run of a plan. "Code" identifies the content of \`services\` and \`libs\`: later commits that change only
other files leave it as it is. A code or commit with \`+\` had changed files. To print the code of a checkout:

\`\`\`sh
git ls-tree HEAD services libs | git hash-object --stdin | cut -c1-10
\`\`\`

| Plan | Modules | Passed | Review | Skipped | Warning | Failed | Date | Code | Commit | Suite |
|---|---|---|---|---|---|---|---|---|---|---|
${plans.map((plan) => planRow(plan)).join("\n")}

## Modules that did not simply pass

${columns.flatMap((name) => (name === "PASSED" ? [] : [`- ${name.toLowerCase()}: ${meanings[name]}`])).join("\n")}

${rest.length === 0 ? "All modules passed." : modules}

## Accepted warnings

${acceptedText(lists.accepted)}

## Run the suite

\`\`\`sh
make conformance SUITE=path/to/fapi-test-suite.jar            # all plans
make conformance SUITE=path/to/fapi-test-suite.jar PLANS="basic session"
\`\`\`

\`SUITE\` is the suite's application as a jar, built as its own documentation describes, or the https address of a suite that runs in
its development mode. Postern's repository contains no part of the suite. The target needs Maven, for the suite's database in memory, and
a Java version that runs the suite (\`JAVA=/path/to/java\` selects one). It starts everything on free ports of loopback, prints the counts of
each plan, and fails on each failure and on each warning that is not accepted. Results and pictures, with plan and module in their names, are in \`.run/conformance\`. For a suite
that runs elsewhere, set \`NODE_EXTRA_CA_CERTS\` to the file with its certificate authority. \`RECORD=1\` updates this page;
\`ACCESS_TOKENS=jwt\` tests with signed access tokens instead, without recording. After
a recorded run, look at its pictures and enter what they show in \`tools/conformance/reviews.json\`; a test fails until then.
`;
}
