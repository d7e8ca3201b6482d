import type { BackendDescription, describeAccount, Reply, Request } from "@postern/shared/contracts";
import type { AttributeFilter } from "@postern/shared/domain/released-attributes";
import { untilOver } from "@postern/shared/platform/concurrency";
import { fromUnknown } from "@postern/shared/platform/errors";
import type { Clock } from "@postern/shared/platform/time";
import type { CallContext } from "../pipeline/attempt.ts";
import type { Backend, BackendAccount, BackendQuery } from "./backend.ts";
import type { BackendsByName } from "./backends-by-name.ts";
import type { FindOutcome } from "./second-factor-store.ts";

const maxEntries = 50;
const maxValues = 10;
const maxLength = 256;
/** Share of the time after which the engine stops waiting for a backend, so that the answers of the others arrive. */
const patience = 0.75;

const shortened = (values: readonly string[]): string[] =>
  values.slice(0, maxValues).map((value) => value.slice(0, maxLength));

function shownAccount(
  { account, accountField, totpSecretField, attributes, groups }: BackendAccount,
  releasable: AttributeFilter,
): Partial<BackendDescription> {
  const released = Object.entries(releasable(attributes)).filter(([name]) => name !== totpSecretField);
  return {
    account,
    account_field: accountField,
    attributes: Object.fromEntries(released.slice(0, maxEntries).map(([name, values]) => [name, shortened(values)])),
    ...(groups !== undefined && { groups: groups.slice(0, maxEntries) }),
  };
}

/** Second factors may be found by another search than that of the protocol. */
function ofFactors(found: FindOutcome | undefined): Pick<BackendDescription, "outcome" | "stores" | "account"> {
  if (found?.kind !== "ok") return { outcome: "unknown_user", stores: [] };
  const { account, isDisabled } = found;
  return { outcome: isDisabled ? "disabled" : "found", account: account.account, stores: [...account.supports] };
}

/**
 * What every backend of a name says about it, including those after the one that decides.
 * @param releasable removes attributes with secrets.
 */
export function createDescribeAccount(backends: BackendsByName, releasable: AttributeFilter, clock: Clock) {
  const describe = async (backend: Backend, query: BackendQuery, context: CallContext): Promise<BackendDescription> => {
    const { name } = backend;
    try {
      // Second factors are found without the protocol: by the search for `mfa`, or any other that finds the user.
      const factorQuery = { username: query.username, protocol: undefined };
      const answers = Promise.all([backend.lookup(query, context), backend.mfa?.findAccount(factorQuery, context)]);
      const [looked, factors] = await untilOver(answers, { context, clock, waitingFor: name });
      const stored = ofFactors(factors);
      if (looked.kind === "ok")
        return { name, ...shownAccount(looked.account, releasable), outcome: "found", stores: stored.stores };
      const isOff = stored.outcome === "disabled" || (looked.kind === "unknown_user" && looked.isDisabled === true);
      const outcome = looked.kind === "denied" ? "unknown_user" : looked.kind;
      return { name, ...stored, outcome: isOff ? "disabled" : outcome };
    } catch (error) {
      return { name, outcome: "unavailable", code: fromUnknown(error).code, stores: [] };
    }
  };
  return async (
    query: Request<typeof describeAccount>,
    { deadline, signal }: CallContext,
  ): Promise<Reply<typeof describeAccount>> => {
    const waitMs = Math.max(0, Math.floor((deadline - clock.now()) * patience));
    const context = { deadline: clock.now() + waitMs, signal: AbortSignal.any([signal, AbortSignal.timeout(waitMs)]) };
    const [queried, username] = await Promise.all([backends.of(query.username), backends.spelled(query.username)]);
    const described = await Promise.all(queried.map((one) => describe(one, query, context)));
    return { backends: described, ...(username !== query.username && { username }) };
  };
}
