import { AppError } from "@postern/shared/errors";
import { errors, Provider } from "oidc-provider";

const routes: ReadonlySet<unknown> = new Set(["authorization", "resume"]);

/** Codes of RFC 6749 §4.1.2.1 for what is no fault of the request. */
const faults: ReadonlySet<unknown> = new Set(["temporarily_unavailable", "server_error"]);

/** Whether an error of the provider stands for a failure of ours. */
export function isFault(error: unknown): boolean {
  return error instanceof errors.OIDCProviderError && faults.has(error.error);
}

function told(error: unknown): unknown {
  if (error instanceof errors.OIDCProviderError || !routes.has(Provider.ctx?.oidc?.route)) return error;
  return error instanceof AppError && error.row.kind === "unavailable"
    ? new errors.TemporarilyUnavailable("try again in a moment", { cause: error })
    : new errors.CustomOIDCProviderError("server_error", "the request failed", { cause: error });
}

/**
 * What fails in an authorization request goes to its client, with state and iss (RFC 6749 §4.1.2.1): the provider
 * redirects its own errors alone. Elsewhere nothing changes.
 */
export function tellingClients<Args extends readonly unknown[], Result>(
  call: (...args: Args) => Result | Promise<Result>,
) {
  return async (...args: Args): Promise<Result> => {
    try {
      return await call(...args);
    } catch (error) {
      throw told(error);
    }
  };
}
