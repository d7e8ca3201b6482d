import type { Concern } from "../../contracts/index.ts";
import { AppError } from "../../platform/errors/index.ts";
import type { Caller } from "../../platform/http/index.ts";
import type { Logger } from "../../platform/logging/index.ts";
import { type Domains, outsideMark } from "./domains.ts";

type Part = "body" | "query" | "params";

/** The members of a Fastify request that are used here; this package does not depend on Fastify. */
interface LimitedRequest extends Record<Part, unknown> {
  /** The API caller that the gateway has authenticated. */
  readonly caller: Caller | null;
  readonly routeOptions: {
    readonly config: { readonly url: string; readonly concerns?: Concern | undefined };
  };
}

interface LimitedReply {
  code(status: number): LimitedReply;
  send(body: { readonly error: string }): LimitedReply;
}

type Limit = (request: LimitedRequest, reply: LimitedReply) => Promise<LimitedReply | undefined>;
type Rewrite = (request: LimitedRequest, reply: LimitedReply, payload: unknown) => Promise<unknown>;

interface LimitedApp {
  addHook(name: "preHandler", hook: Limit): unknown;
  addHook(name: "onSend", hook: Rewrite): unknown;
}

interface LimitDeps {
  /** Absent while all domains are decided by `auth.backends.order`. */
  readonly domains: { readonly current: Domains | undefined };
  readonly logger: Pick<Logger, "info">;
  /** Whether the text of an operation about a `subject` is the name of an account. Absent where there is no such operation. */
  readonly isAccountName?: (text: string) => boolean;
}

const withoutDomains = (): AppError =>
  new AppError("DIRECTORY_UNAVAILABLE", { detail: "a caller is limited to domains, and there are none" });

const everyAccount = (): boolean => true;

/**
 * Which accounts an API caller may learn of, for answers about many.
 *
 * @throws AppError DIRECTORY_UNAVAILABLE if it cannot be decided
 */
export async function accountsFor(
  caller: Pick<Caller, "domains"> | null,
  { current }: LimitDeps["domains"],
): Promise<(account: string) => boolean> {
  if (caller?.domains === undefined) return everyAccount;
  if (current === undefined) throw withoutDomains();
  return current.within(caller.domains);
}

const parts = { body: "body", query: "query", path: "params" } as const satisfies Record<string, Part>;

/** The text that a request has there; undefined if there is none, or something else. */
function textIn(request: LimitedRequest, part: Part, member: string): string | undefined {
  const value: unknown = Reflect.get(Object(request[part]), member);
  return typeof value === "string" ? value.trim() : undefined;
}

/** The answer with a name as the caller wrote it. The route may have folded it. */
function asWritten(payload: string, hidden: string): string {
  const [marked, escaped] = [payload.toLowerCase(), JSON.stringify(hidden).slice(1, -1).toLowerCase()];
  let written = "";
  let from = 0;
  for (let at = marked.indexOf(escaped); at !== -1; at = marked.indexOf(escaped, from)) {
    written += payload.slice(from, at + escaped.length - outsideMark.length);
    from = at + escaped.length;
  }
  return written + payload.slice(from);
}

/**
 * Limits API callers to their domains, in every route of a service behind the gateway. An operation of the site is refused. The name of an
 * account outside becomes one that nobody has before the route sees it: the route looks nothing up, and answers as for any unknown name. Call
 * it before the routes are registered.
 */
export function limitCallers(app: LimitedApp, { domains, logger, isAccountName }: LimitDeps): void {
  const hidden = new WeakMap<LimitedRequest, string>();
  const place = async (request: LimitedRequest, caller: Caller, part: Part, member: string, written: string) => {
    if (domains.current === undefined) throw withoutDomains();
    const { username, domain } = await domains.current.placeFor(caller, written);
    Object.assign(request, { [part]: { ...Object(request[part]), [member]: username } });
    if (domain.isKnown || !username.endsWith(outsideMark)) return;
    hidden.set(request, username);
    const { name, session } = caller;
    logger.info({ session, caller: name }, "an API caller named an account outside of its domains");
  };
  app.addHook("preHandler", async (request, reply) => {
    const { caller, routeOptions } = request;
    if (caller === null || (caller.domains === undefined && caller.defaultDomain === undefined)) return undefined;
    const isLimited = caller.domains !== undefined;
    const { concerns } = routeOptions.config;
    if (concerns === undefined)
      return isLimited ? reply.code(403).send({ error: "the caller is limited to domains" }) : undefined;
    if (concerns.of !== "account" && concerns.of !== "subject") return undefined;
    const part = parts[concerns.in];
    const written = textIn(request, part, concerns.member);
    if (concerns.isOptional === true && !Object.hasOwn(Object(request[part]), concerns.member)) return undefined;
    // The route answers with what concerns accounts within.
    if (concerns.of === "subject" && written !== undefined && isAccountName?.(written) === false) return undefined;
    if (written === undefined)
      return isLimited
        ? reply.code(400).send({ error: `${concerns.member}: must be the name of an account` })
        : undefined;
    // Where identifiers take the place of a name, they have no domain either.
    if (isLimited || concerns.in !== "path") await place(request, caller, part, concerns.member, written);
    return undefined;
  });
  app.addHook("onSend", async (request, _reply, payload) => {
    const name = hidden.get(request);
    return name === undefined || typeof payload !== "string" ? payload : asWritten(payload, name);
  });
}
