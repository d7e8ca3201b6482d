import { AppError } from "@postern/shared/platform/errors";
import { errors, Provider } from "oidc-provider";

const routes: ReadonlySet<unknown> = new Set(["authorization", "resume"]);

/** Codes of RFC 6749 §4.1.2.1 for failures that the request did not cause. */
const faults: ReadonlySet<unknown> = new Set(["temporarily_unavailable", "server_error"]);

/** Whether an error of the provider reports a failure of this service. */
export function isFault(error: unknown): boolean {
  return error instanceof errors.OIDCProviderError && faults.has(error.error);
}

function toClientError(error: unknown): unknown {
  if (error instanceof errors.OIDCProviderError || !routes.has(Provider.ctx?.oidc?.route)) return error;
  return error instanceof AppError && error.row.kind === "unavailable"
    ? new errors.TemporarilyUnavailable("try again in a moment", { cause: error })
    : new errors.CustomOIDCProviderError("server_error", "the request failed", { cause: error });
}

/**
 * Reports a failure in an authorization request to the client, with state and iss (RFC 6749 §4.1.2.1): the provider
 * redirects only errors that are instances of its classes. Outside authorization requests nothing changes.
 */
export function withClientErrors<Args extends readonly unknown[], Result>(
  call: (...args: Args) => Result | Promise<Result>,
) {
  return async (...args: Args): Promise<Result> => {
    try {
      return await call(...args);
    } catch (error) {
      throw toClientError(error);
    }
  };
}

/** The reason for the log: the provider sends clients less detail than it has (`error_detail`). */
export function reasonOf(error: unknown): string | undefined {
  if (!(error instanceof errors.OIDCProviderError)) return undefined;
  const detail: unknown = Reflect.get(error, "error_detail") ?? error.error_description;
  return typeof detail === "string" ? `${error.error}: ${detail}` : error.error;
}
