/** The response that ends a sign-in or a consent: usually the redirect to the client with the code. */
export interface Outcome {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body: string;
}

/**
 * The outcomes of the last seconds. A form that a browser sends twice, or a redirect that it follows twice, must lead to
 * one code and one redirect; only the last response reaches the user. All methods reject when the store is unavailable.
 */
export interface Outcomes {
  /** Whether no other request has resumed this interaction in the last seconds. Then the caller must keep or release. */
  claim(interactionUid: string, browser: string): Promise<boolean>;
  keep(interactionUid: string, browser: string, outcome: Outcome): Promise<void>;
  /** Gives up a claim without an outcome, so that the browser may try again. */
  release(interactionUid: string): Promise<void>;
  /** The outcome of a request in progress or of a recent one; undefined if there is none, or for another browser. */
  wait(interactionUid: string, browser: string): Promise<Outcome | undefined>;
  isKnown(interactionUid: string): Promise<boolean>;
}
