import type { BackendDescription } from "@postern/shared/contracts";
import type { FindAccountNames } from "@postern/shared/domain/flush";

/** What the backends say about a name. `unclear`: one that may know it did not answer. */
export type Standing =
  | { readonly kind: "found" | "unknown" | "unclear" }
  | { readonly kind: "disabled"; readonly backend: string };

/** @param backends undefined if no engine answered */
export function standingOf(
  { accounts, isComplete }: Awaited<ReturnType<FindAccountNames>>,
  backends: readonly BackendDescription[] | undefined,
): Standing {
  // The first backend that has the account decides.
  const first = backends?.find(({ outcome }) => outcome === "found" || outcome === "disabled");
  if (first?.outcome === "disabled") return { kind: "disabled", backend: first.name };
  if (first !== undefined || accounts.length > 0) return { kind: "found" };
  const isAnswered = backends?.every(({ outcome }) => outcome !== "unavailable") ?? false;
  return { kind: isAnswered && isComplete ? "unknown" : "unclear" };
}
