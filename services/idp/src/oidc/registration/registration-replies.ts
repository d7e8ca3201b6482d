import { pathTo } from "@postern/shared/contracts";
import { AppError } from "@postern/shared/platform/errors";
import type { Logger } from "@postern/shared/platform/logging";
import type { FastifyReply, FastifyRequest } from "fastify";
import { oauthError } from "../http/replies.ts";
import type { FullRegistration, RegisteredMetadata, Registration } from "./registration.ts";

/** The token of a request to register, or to manage a registration. */
export function bearerOf({ headers }: FastifyRequest): string | undefined {
  return /^bearer +([^ ]+)$/i.exec(headers.authorization ?? "")?.[1];
}

/** A registration that cannot be read or written may exist: the client tries again instead of registering again. */
export function whileAvailable<Request extends FastifyRequest>(
  handle: (request: Request, reply: FastifyReply) => Promise<FastifyReply>,
  onFailure: (error: AppError) => void = () => {},
) {
  return async (request: Request, reply: FastifyReply): Promise<FastifyReply> => {
    try {
      return await handle(request, reply);
    } catch (error) {
      if (!(error instanceof AppError) || error.row.kind !== "unavailable") throw error;
      onFailure(error);
      reply.header("retry-after", "5");
      return oauthError(reply, 503, "temporarily_unavailable", "try again in a moment");
    }
  };
}

type Members = Readonly<Record<string, unknown>>;

function isSet([, value]: readonly [string, unknown]): boolean {
  return value !== undefined && value !== "" && !(Array.isArray(value) && value.length === 0);
}

function ofMetadata(metadata: RegisteredMetadata): Members {
  return {
    token_endpoint_auth_method: metadata.authMethod,
    application_type: metadata.applicationType,
    grant_types: metadata.grantTypes,
    response_types: [
      ...(metadata.grantTypes.includes("authorization_code") ? ["code"] : []),
      ...(metadata.implicitTypes ?? []),
    ],
    post_logout_redirect_uris: metadata.postLogoutRedirectUris,
    jwks: metadata.jwks === "" ? undefined : JSON.parse(metadata.jwks),
    jwks_uri: metadata.jwksUri,
    policy_uri: metadata.policyUri,
    tos_uri: metadata.tosUri,
    initiate_login_uri: metadata.initiateLoginUri,
    id_token_signed_response_alg: metadata.idTokenAlgorithm,
    userinfo_signed_response_alg: metadata.userinfoAlgorithm,
    default_max_age: metadata.defaultMaxAge,
    request_object_signing_alg: metadata.requestObjectAlgorithm,
    request_uris: metadata.requestUris,
    require_signed_request_object: metadata.requiresSignedRequests,
    require_pushed_authorization_requests: metadata.requiresPushedRequests,
    dpop_bound_access_tokens: metadata.requiresDpop,
    subject_type: "public",
  };
}

const ofMailClient: Members = {
  token_endpoint_auth_method: "none",
  application_type: "native",
  grant_types: ["authorization_code", "refresh_token"],
  response_types: ["code"],
};

function ofFull({ metadata, secret }: FullRegistration): Members {
  return {
    ...ofMetadata(metadata),
    ...(secret !== undefined && { client_secret: secret, client_secret_expires_at: 0 }),
  };
}

/**
 * RFC 7591 §3.2.1: everything that was registered, which may be less than was requested. With the registration access
 * token, even if the client manages its registration (RFC 7592 §3).
 */
export function shownRegistration(registration: Registration, issuer: string, token: string | undefined): Members {
  const { id, name, redirectUris, scopes, softwareId, softwareVersion, createdAt, full } = registration;
  const members = {
    client_id: id,
    client_id_issued_at: createdAt,
    client_name: name,
    ...(full === undefined ? ofMailClient : ofFull(full)),
    scope: scopes.join(" "),
    software_id: softwareId,
    software_version: softwareVersion,
    registration_access_token: token,
    registration_client_uri:
      token === undefined ? undefined : `${issuer}${pathTo("readClientRegistration", { client_id: id })}`,
  };
  return { ...Object.fromEntries(Object.entries(members).filter(isSet)), redirect_uris: redirectUris };
}

/** Logs a temporary failure of a request, which its answer does not explain. */
export function logFailure({ logger }: { readonly logger: Pick<Logger, "error"> }) {
  return (err: Error): void => logger.error({ err }, "a registration cannot be read or written");
}
