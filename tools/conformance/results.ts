/** How a module ended. `REVIEW`: a person looks at its picture. `SKIPPED`: it does not apply to this provider. */
export type Outcome = "PASSED" | "WARNING" | "REVIEW" | "SKIPPED" | "FAILED";

export interface ModuleResult {
  readonly module: string;
  readonly outcome: Outcome;
  /** The conditions that were not met: name and message. */
  readonly findings: readonly string[];
}

export interface PlanResult {
  readonly plan: string;
  /** Day of the run, ISO 8601. */
  readonly date: string;
  readonly suiteVersion: string;
  /** The commit of this repository that was tested, followed by `+` if files were changed; absent if it was not recorded. */
  readonly commit?: string | undefined;
  /** Identifies the product's code: see `productTree`. Followed by `+` if files were changed. */
  readonly tree?: string | undefined;
  readonly modules: readonly ModuleResult[];
}

/** What a person saw on the picture of a module that ended with REVIEW. */
export interface Review {
  readonly plan: string;
  readonly module: string;
  /** The code whose run took the picture. */
  readonly tree: string;
  /** Day on which the picture was looked at, ISO 8601. */
  readonly date: string;
  readonly shows: string;
}

/** The review of a module's picture of this run; one of other code does not count. */
export function reviewOf(
  { plan, tree }: Pick<PlanResult, "plan" | "tree">,
  module: string,
  reviews: readonly Review[],
): Review | undefined {
  return reviews.find((review) => review.plan === plan && review.module === module && review.tree === tree);
}

/** A warning that no provider can avoid, with the reason. */
export interface Accepted {
  readonly module: string;
  readonly finding: string;
  readonly reason: string;
}

export function isAccepted(module: string, finding: string, list: readonly Accepted[]): boolean {
  return list.some((entry) => entry.module === module && finding.startsWith(`${entry.finding}:`));
}

/** The failures of a run. A module with an unknown result has failed. */
export function problemsOf(
  plans: readonly Pick<PlanResult, "plan" | "modules">[],
  list: readonly Accepted[],
): readonly string[] {
  return plans.flatMap(({ plan, modules }) => [
    ...(modules.length === 0 ? [`${plan}: no module ran`] : []),
    ...modules.flatMap(({ module, outcome, findings }) => {
      if (outcome === "FAILED") return [`${plan} ${module}: ${findings.join("; ") || "failed"}`];
      if (outcome !== "WARNING") return [];
      const left = findings.filter((finding) => !isAccepted(module, finding, list));
      return left.map((finding) => `${plan} ${module}: ${finding}`);
    }),
  ]);
}

export function countsOf({ modules }: Pick<PlanResult, "modules">): Readonly<Record<Outcome, number>> {
  const counts = { PASSED: 0, WARNING: 0, REVIEW: 0, SKIPPED: 0, FAILED: 0 };
  for (const { outcome } of modules) counts[outcome] += 1;
  return counts;
}
