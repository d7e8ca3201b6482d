/** RFC 7591 §3.2.2. */
export interface Refusal {
  readonly error: "invalid_redirect_uri" | "invalid_client_metadata";
  readonly description: string;
}

export function invalid(description: string): Refusal {
  return { error: "invalid_client_metadata", description };
}
