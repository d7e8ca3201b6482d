import type { MetadataFacts } from "./entity-facts.ts";
import type { MetadataFailure } from "./metadata-failure.ts";

/** What the thread must read. */
export interface ReadTask {
  readonly xml: string;
  /** PEM of public keys; empty: the document is accepted without a signature. */
  readonly keys: readonly string[];
  readonly wanted: readonly string[];
  readonly nowMs: number;
  readonly maxBytes: number;
}

export type ReadOutcome =
  | { readonly outcome: "read"; readonly facts: MetadataFacts }
  | { readonly outcome: "refused"; readonly failure: MetadataFailure; readonly detail: string };
