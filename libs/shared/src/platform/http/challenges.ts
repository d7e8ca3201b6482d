/** The members of a Fastify instance that are used here; this package does not depend on Fastify. */
interface AnsweringScope {
  addHook(name: "onSend", hook: (request: unknown, reply: Answer) => Promise<void>): unknown;
}

interface Answer {
  readonly statusCode: number;
  hasHeader(name: string): boolean;
  header(name: string, value: string): unknown;
}

const basicChallenge = 'Basic realm="postern", charset="UTF-8"';
export const bearerChallenge = 'Bearer realm="postern"';

/** `WWW-Authenticate` values for API callers: the configured ways to authenticate. */
export function callerChallenges(allowed: { readonly basic: boolean; readonly bearer: boolean }): readonly string[] {
  if (!allowed.bearer) return [basicChallenge];
  return allowed.basic ? [basicChallenge, bearerChallenge] : [bearerChallenge];
}

/** The challenge of RFC 6750 §3.1; it names the scopes, one of which is required. */
export function scopeChallenge(anyScope: readonly string[]): string {
  const scope = anyScope.length === 0 ? "" : `, scope="${anyScope.join(" ")}"`;
  return `${bearerChallenge}, error="insufficient_scope"${scope}`;
}

/** A 401 needs a challenge (RFC 9110 §15.5.2). Adds the current challenges to every 401 whose route sets none. */
export function challengeUnauthorized(app: AnsweringScope, challenges: () => readonly string[]): void {
  app.addHook("onSend", async (_request, reply) => {
    if (reply.statusCode !== 401 || reply.hasHeader("www-authenticate")) return;
    reply.header("www-authenticate", challenges().join(", "));
  });
}
