import { messages } from "../messages.ts";
import type { Config, OidcClientConfig } from "../schema/root.ts";
import type { Judgement } from "./judgement.ts";

const section = "runtime.servers.http.client_certificates";

/** `runtime.servers.http.client_certificates`. */
export function validateClientCertificates({ runtime }: Config, { problem }: Judgement): void {
  const { client_certificates: certificates, tls } = runtime.servers.http;
  if (certificates.address.length > 0 && !tls.enabled) {
    problem("runtime.servers.http.tls.enabled", messages.needsWhen(`${section}.address is set`));
  }
  if (certificates.verify_header !== "" && certificates.header === "") {
    problem(`${section}.header`, messages.needsWhen(`${section}.verify_header is set`));
  }
}

/** A client that authenticates with a certificate, or whose tokens are bound to one. */
export function validateClientWithCertificate(
  { runtime }: Config,
  path: string,
  client: OidcClientConfig,
  { problem }: Judgement,
): void {
  const { token_endpoint_auth_method: method, tls_client_certificate_bound_access_tokens: isBound } = client;
  const usesTls = method.endsWith("tls_client_auth");
  const { address, header } = runtime.servers.http.client_certificates;
  if ((usesTls || isBound) && address.length === 0 && header === "") {
    const cause = usesTls ? `token_endpoint_auth_method is ${method}` : "tokens are bound to certificates";
    problem(`${section}.address`, messages.needsWhen(`${path}: ${cause}`));
  }
  const { jwks, jwks_file, jwks_uri, client_public_key: pem, client_public_key_file: file } = client;
  if (method === "self_signed_tls_client_auth" && [jwks, jwks_file, jwks_uri, pem, file].every((key) => key === "")) {
    problem(`${path}.jwks`, messages.needsWhen(`token_endpoint_auth_method is ${method}`));
  }
  if (usesTls && client.client_secret !== "") problem(`${path}.client_secret`, messages.notWith(method));
  const { tls_client_auth_subject_dn: dn, tls_client_auth_san_dns: dns, tls_client_auth_san_uri: uri } = client;
  const { tls_client_auth_san_ip: ip, tls_client_auth_san_email: email } = client;
  const named = [dn, dns, uri, ip, email].filter((name) => name !== "").length;
  if (method === "tls_client_auth" && named !== 1) problem(`${path}.tls_client_auth_subject_dn`, messages.oneSubject);
}
