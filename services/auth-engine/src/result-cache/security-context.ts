import type { Attempt } from "../pipeline/attempt.ts";

export interface ContextSettings {
  /** Digest of everything in the configuration that shapes a directory's answer; another one is another name space. */
  readonly configuration: string;
  /** Whether a search reads the client's port: then each connection is a context of its own. */
  readonly usesClientPort: boolean;
}

/** With its length before it, so that no two lists of fields make one text; absent differs from empty. */
function field(value: string | undefined): string {
  return value === undefined ? "-;" : `${value.length}:${value};`;
}

/**
 * Everything that the directories' answer may depend on, but for the password: two requests share a cached result only
 * when this text is the same (ADR 0049). What is not in it (attempt counter, language, host names) no directory reads.
 */
export function securityContext(attempt: Attempt, { configuration, usesClientPort }: ContextSettings): string {
  return (
    field(configuration) +
    field(attempt.operation) +
    field(attempt.username) +
    field(attempt.protocol) +
    field(attempt.method) +
    field(attempt.oidcClientId) +
    field(attempt.clientIp) +
    field(usesClientPort ? attempt.clientPort : undefined) +
    field(attempt.localIp) +
    field(attempt.localPort) +
    (attempt.tls ? "tls" : "plain")
  );
}
