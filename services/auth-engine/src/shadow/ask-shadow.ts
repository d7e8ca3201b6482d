import type { KnownDomain } from "@postern/shared/domain/domains";
import type { Secret } from "@postern/shared/platform/crypto";
import { askBackends } from "../backends/ask-backends.ts";
import type { Backend, BackendContext, BackendQuery } from "../backends/backend.ts";
import { lookedUpAnswer, type SideAnswer, verifiedAnswer } from "./answers.ts";
import type { Factors } from "./compare.ts";

/** A request whose answer was sent. */
export interface Waiting {
  readonly query: BackendQuery;
  readonly session: string;
  /** Absent while all domains are decided by `auth.backends.order`. */
  readonly domain: KnownDomain | undefined;
  readonly old: SideAnswer;
  /** Absent unless the backends of the shadow may get it. */
  readonly password: Secret | undefined;
  /** By the steady clock. */
  readonly deadline: number;
  /** The backend that decided; absent unless second factors are compared. */
  readonly decidedBy: string | undefined;
}

export interface NewAnswer {
  readonly answer: SideAnswer;
  readonly backend: Backend | undefined;
}

/** Asks as the pipeline does: a backend that does not answer leaves open whether it knows the account. */
export async function askShadow(
  backends: readonly Backend[],
  { query, password }: Pick<Waiting, "query" | "password">,
  context: BackendContext,
): Promise<NewAnswer> {
  const search =
    password === undefined
      ? await askBackends(backends, async (backend) => {
          const outcome = await backend.lookup(query, context);
          // A disabled account must not be looked for in the next backend.
          return outcome.kind === "unknown_user" && outcome.isDisabled === true
            ? { kind: "disabled" as const, answer: lookedUpAnswer(outcome) }
            : { kind: outcome.kind, answer: lookedUpAnswer(outcome) };
        })
      : await askBackends(backends, async (backend) => {
          const outcome = await backend.verify(query, password, context);
          return { kind: outcome.kind, answer: verifiedAnswer(outcome) };
        });
  const { found, unavailable } = search;
  if (unavailable !== undefined && found?.outcome.kind !== "ok") throw unavailable;
  return { answer: found?.outcome.answer ?? { kind: "unknown" }, backend: found?.backend };
}

export const noFactors: { readonly old: Factors; readonly new: Factors } = { old: undefined, new: undefined };

export async function readFactors(
  { query, old, decidedBy }: Waiting,
  { answer, backend }: NewAnswer,
  { context, deciding }: { readonly context: BackendContext; readonly deciding: readonly Backend[] },
): Promise<typeof noFactors> {
  const decided = decidedBy === undefined ? undefined : deciding.find(({ name }) => name === decidedBy);
  if (decided === undefined || backend === undefined || old.kind !== "known" || answer.kind !== "known")
    return noFactors;
  const [before, after] = await Promise.all([
    readFactorKinds(decided, query, context),
    readFactorKinds(backend, query, context),
  ]);
  return { old: before, new: after };
}

const counted = (name: string, count: number): readonly string[] => (count === 0 ? [] : [`${count} ${name}`]);

/**
 * The kinds of second factors that an account has in a backend; their values are not compared, because each backend may encrypt them
 * otherwise. Undefined if the backend does not find the account by its searches for second factors.
 *
 * @throws AppError of kind `unavailable`
 */
async function readFactorKinds(
  { mfa }: Backend,
  { username, protocol }: Pick<BackendQuery, "username" | "protocol">,
  context: BackendContext,
): Promise<readonly string[] | undefined> {
  if (mfa === undefined) return [];
  const found = await mfa.findAccount({ username, protocol }, context);
  if (found.kind !== "ok") return undefined;
  const { account } = found;
  const [{ totpSecret, recoveryCodes, webauthnCredentials }, appPasswords] = await Promise.all([
    account.readFactors(context),
    account.supports.has("app_passwords") ? account.listAppPasswords(context) : [],
  ]);
  return [
    ...(totpSecret === undefined ? [] : ["totp"]),
    ...counted("webauthn", webauthnCredentials.length),
    ...counted("recovery codes", recoveryCodes.length),
    ...counted("app passwords", appPasswords.length),
  ];
}
