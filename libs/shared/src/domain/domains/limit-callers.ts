import type { Concern } from "../../contracts/index.ts";
import { AppError } from "../../platform/errors/index.ts";
import type { Caller } from "../../platform/http/index.ts";
import type { Logger } from "../../platform/logging/index.ts";
import { canonicalDomain } from "../../platform/net/index.ts";
import { comparableDomain } from "./domain.ts";
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
  readonly isAccountName?: ((text: string) => boolean) | undefined;
}

const withoutDomains = (): AppError =>
  new AppError("DIRECTORY_UNAVAILABLE", { detail: "a caller is limited to domains, and there are none" });

type IsMeant = (account: string) => boolean;

const everyAccount: IsMeant = () => true;

async function withinLimit(
  caller: Pick<Caller, "domains"> | null,
  { current }: LimitDeps["domains"],
): Promise<IsMeant> {
  if (caller?.domains === undefined) return everyAccount;
  if (current === undefined) throw withoutDomains();
  return current.within(caller.domains);
}

/**
 * Which accounts an API caller may learn of, for answers about many.
 *
 * @param domain of these, only those of one domain, by name or alias. Of a domain of others, nothing is looked up.
 * @throws AppError DIRECTORY_UNAVAILABLE if it cannot be decided
 */
export async function accountsFor(
  caller: Pick<Caller, "domains"> | null,
  domains: LimitDeps["domains"],
  domain?: string,
): Promise<IsMeant> {
  const isVisible = await withinLimit(caller, domains);
  if (domain === undefined) return isVisible;
  if (!isVisible(`@${domain}`)) return () => false;
  if (domains.current !== undefined) return domains.current.within([domain]);
  return (account) => comparableDomain(account.slice(account.lastIndexOf("@") + 1)) === domain && account.includes("@");
}

const parts = { body: "body", query: "query", path: "params" } as const satisfies Record<string, Part>;

/** The text that a request has there; undefined if there is none, or something else. */
function textIn(request: LimitedRequest, part: Part, member: string): string | undefined {
  const value: unknown = Reflect.get(Object(request[part]), member);
  return typeof value === "string" ? value.trim() : undefined;
}

/** The answer with a name as the caller wrote it. The route may have folded it. */
function asWritten(payload: string, hidden: string): string {
  const text = JSON.stringify(hidden).slice(1, -1);
  const pattern = text.replaceAll(/[$()*+./?[\\\]^{|}]/gu, String.raw`\$&`);
  return payload.replaceAll(new RegExp(pattern, "giu"), (found) => found.slice(0, -outsideMark.length));
}

/** The part of a request that names an account or a domain. */
interface Place {
  readonly part: Part;
  readonly member: string;
}

function write(request: LimitedRequest, { part, member }: Place, text: string): void {
  Object.assign(request, { [part]: { ...Object(request[part]), [member]: text } });
}

function createPlaceAccount({ domains, logger }: LimitDeps, hide: (request: LimitedRequest, name: string) => void) {
  return async (request: LimitedRequest, caller: Caller, { part, member }: Place): Promise<void> => {
    const written = textIn(request, part, member) ?? "";
    if (domains.current === undefined) throw withoutDomains();
    const { username } = await domains.current.placeFor(caller, written);
    write(request, { part, member }, username);
    if (caller.domains === undefined || username !== `${written}${outsideMark}`) return;
    hide(request, username);
    logger.info(
      { session: caller.session, caller: caller.name },
      "an API caller named an account outside of its domains",
    );
  };
}

type AccountConcern = Extract<Concern, { readonly of: "account" | "subject" }>;

function isAboutAccount(concerns: Concern | undefined): concerns is AccountConcern {
  return concerns?.of === "account" || concerns?.of === "subject";
}

/** Whether the request names no account, though the operation takes one: the route answers with what concerns accounts within. */
function isLeftToRoute(
  request: LimitedRequest,
  concerns: AccountConcern,
  { isAccountName }: Pick<LimitDeps, "isAccountName">,
): boolean {
  const part = parts[concerns.in];
  if (concerns.isOptional === true && !Object.hasOwn(Object(request[part]), concerns.member)) return true;
  const written = concerns.of === "subject" ? textIn(request, part, concerns.member) : undefined;
  return written !== undefined && isAccountName?.(written) === false;
}

/** Why a caller with domains gets no answer of the route; undefined if it may get one. */
async function refusalOf(
  request: LimitedRequest,
  caller: Caller,
  { domains, isAccountName }: LimitDeps,
): Promise<readonly [status: number, error: string] | undefined> {
  const { concerns } = request.routeOptions.config;
  if (concerns === undefined) return [403, "the caller is limited to domains"];
  if (!("member" in concerns)) return undefined;
  const { member } = concerns;
  const written = textIn(request, parts[concerns.in], member);
  if (isAboutAccount(concerns)) {
    const isNamed = written !== undefined || isLeftToRoute(request, concerns, { isAccountName });
    return isNamed ? undefined : [400, `${member}: must be the name of an account`];
  }
  const name = canonicalDomain(written ?? "");
  if (name === undefined || !(await accountsFor(caller, domains))(`@${name}`))
    return [403, `${member}: must be a domain of the caller`];
  // The route reads what was checked here.
  write(request, { part: parts[concerns.in], member }, name);
  return undefined;
}

/**
 * Limits API callers to their domains, in every route of a service behind the gateway. An operation of the site is refused. The name of an
 * account outside becomes one that nobody has before the route sees it: the route looks nothing up, and answers as for any unknown name. Call
 * it before the routes are registered.
 */
export function limitCallers(app: LimitedApp, deps: LimitDeps): void {
  const hidden = new WeakMap<LimitedRequest, string>();
  const placeAccount = createPlaceAccount(deps, (request, name) => void hidden.set(request, name));
  app.addHook("preHandler", async (request, reply) => {
    const { caller, routeOptions } = request;
    if (caller === null || (caller.domains === undefined && caller.defaultDomain === undefined)) return undefined;
    const isLimited = caller.domains !== undefined;
    const refusal = isLimited ? await refusalOf(request, caller, deps) : undefined;
    if (refusal !== undefined) {
      const [status, error] = refusal;
      deps.logger.info({ session: caller.session, caller: caller.name, status, error }, "an API caller was refused");
      return reply.code(status).send({ error });
    }
    const { concerns } = routeOptions.config;
    if (!isAboutAccount(concerns) || isLeftToRoute(request, concerns, deps)) return undefined;
    const place = { part: parts[concerns.in], member: concerns.member };
    // In paths, identifiers may take the place of a name; they have no domain either.
    const isName = isLimited || (concerns.in !== "path" && textIn(request, place.part, place.member) !== undefined);
    if (isName) await placeAccount(request, caller, place);
    return undefined;
  });
  app.addHook("onSend", async (request, _reply, payload) => {
    const name = hidden.get(request);
    return name === undefined || typeof payload !== "string" ? payload : asWritten(payload, name);
  });
}
